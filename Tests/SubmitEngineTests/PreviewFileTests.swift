import Foundation
import Submit
import SubmitEngine
import SubmitTesting
import SystemPackage
import Testing

/// Small versions that cameras and programs make for themselves.
@Suite struct PreviewFileTests {
    /// Writes small JPEGs below the folder of photos, whatever they are called.
    private func make(_ shop: Workshop, _ names: [String]) throws {
        for name in names {
            let path = shop.folder.appending("photos").pushing(FilePath(name))
            try FileManager.default.createDirectory(
                atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
            try shop.photo(name)
        }
    }

    private func left(_ acceptance: Acceptance) -> [String] {
        acceptance.leftBehind.lines.map { "\($0.folder.lastComponent?.string ?? "") \($0.reason) \($0.count)" }.sorted()
    }

    @Test func `proxies of cameras are left out beside their films, and reported by folder`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        try make(
            shop,
            [
                "PRIVATE/M4ROOT/CLIP/C0001.MP4", "PRIVATE/M4ROOT/SUB/C0001S03.MP4",
                "PRIVATE/M4ROOT/THMBNL/C0001T01.JPG",
                "DCIM/100GOPRO/GX010001.MP4", "DCIM/100GOPRO/GL010001.LRV", "DCIM/100GOPRO/GX010001.THM",
                "DCIM/101GOPRO/GOPR0001.MP4", "DCIM/101GOPRO/GOPR0001.LRV", "DCIM/100MEDIA/DJI_0001.MP4",
                "DCIM/100MEDIA/DJI_0001.LRF", "MISC/THM/100/DJI_0001.SCR",
                "DCIM/Camera01/VID_20220110_121609_00_657.insv", "DCIM/Camera01/LRV_20220110_121609_11_657.insv",
                "DCIM/Camera01/PRO_VID_20220110_121710_10_658.mp4", "DCIM/Camera01/PRO_LRV_20220110_121710_11_658.mp4",
                "DCIM/Camera02/VID_20250122_071405_00_001.insv", "DCIM/Camera02/LRV_20250122_071405_01_001.lrv",
            ])
        let acceptance = try await shop.manager.accept(
            SubmitRequest(paths: [shop.folder.appending("photos")], destinations: ["a"]))
        #expect(acceptance.accepted == 7)
        #expect(
            left(acceptance) == [
                "100 preview 1", "100GOPRO preview 2", "100MEDIA preview 1", "101GOPRO preview 1",
                "Camera01 preview 2", "Camera02 preview 1", "SUB preview 1", "THMBNL preview 1",
            ])
        var any = SubmitRequest(paths: [shop.folder.appending("photos")], destinations: ["a"])
        any.takesAnyFile = true
        #expect(try await shop.manager.accept(any).accepted == 17)
    }

    @Test func `what is only called like a proxy is taken`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        // The film of the first is gone; a user's own folders; a camera whose film is not there.
        let names = [
            "DCIM/GL010001.LRV", "SUB/C0001S03.MP4", "M4ROOT/SUB/C0002S03.MP4", "M4ROOT/SUB/trip.MP4",
            "resources/derivatives/a.jpg", "derivatives/b.jpg", "x.photoslibrary/originals/0/c.jpg",
            "LRV_20220110_121609_11_657.insv", "LRV_me.mp4", "VID_me.mp4", "Thumbnails/d.jpg",
            "y.aplibrary/Masters/Thumbnails/e.jpg", "y.aplibrary/Previews/f.jpg",
        ]
        try make(shop, names)
        let acceptance = try await shop.manager.accept(
            SubmitRequest(paths: [shop.folder.appending("photos")], destinations: ["a"]))
        #expect(acceptance.accepted == names.count && acceptance.leftBehind.count == 0, "\(acceptance)")
    }

    @Test func `caches of programs are left out as a whole, even if they are named, and a named proxy is taken`()
        async throws
    {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        try make(
            shop,
            [
                "x.photoslibrary/originals/0/a.jpg", "x.photoslibrary/resources/derivatives/0/a_1.jpg",
                "x.photoslibrary/resources/derivatives/masters/1/a_2.jpg", "L Previews.lrdata/1/b.jpg",
                ".picasaoriginals/c.jpg", "DJI_0001.MP4", "DJI_0001.LRF", "y.aplibrary/Masters/d.jpg",
                "y.aplibrary/Thumbnails/2012/d.jpg", "z.migratedphotolibrary/Thumbnails/e.jpg",
            ])
        let folder = shop.folder.appending("photos")
        let all = try await shop.manager.accept(SubmitRequest(paths: [folder], destinations: ["a"]))
        let expected = [
            "L Previews.lrdata preview 1", "Thumbnails preview 1", "Thumbnails preview 1",
            "derivatives preview 2",
        ]
        #expect(all.accepted == 3)
        // Picasa keeps photos as they were before they were edited: a hidden folder, which is reported as such.
        #expect(left(all) == (expected + [".picasaoriginals hidden 1", "photos preview 1"]).sorted())
        let named = try await shop.manager.accept(
            SubmitRequest(
                paths: [
                    "x.photoslibrary", "L Previews.lrdata", ".picasaoriginals", "DJI_0001.LRF", "y.aplibrary",
                    "z.migratedphotolibrary",
                ].map { folder.appending($0) }, destinations: ["a"]))
        #expect(named.accepted == 4 && left(named) == expected.sorted(), "\(named)")
    }

    @Test func `files that cameras keep for themselves are no photos, even if they are empty`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let folder = shop.folder.appending("photos")
        let names = [
            "MEMSTICK.IND", "MSTK_PRO.IND", "STATUS.BIN", "DATABASE.BIN", "AVF_INFO/PRV00001.BIN", "ASSISTME.DAT",
            "NIKON001.DSC", "NC_FLLST.DAT", "NCSETUP1.BIN", "a.SCR", "b.idx", "M4ROOT/CLIP/C0001M01.XML",
            "DCIM/fileinfo_list.list",
        ]
        for name in names {
            let path = folder.pushing(FilePath(name))
            try FileManager.default.createDirectory(
                atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: path.string))
        }
        let empty = try await shop.manager.accept(SubmitRequest(paths: [folder], destinations: ["a"]))
        #expect(empty.refusals.isEmpty && empty.leftBehind.lines.allSatisfy { $0.reason == .camera })
        #expect(empty.leftBehind.count == names.count)
        for name in names {
            try Data("text".utf8).write(to: URL(fileURLWithPath: folder.pushing(FilePath(name)).string))
        }
        let full = try await shop.manager.accept(SubmitRequest(paths: [folder], destinations: ["a"]))
        #expect(full.refusals.isEmpty && full.leftBehind.lines.allSatisfy { $0.reason == .camera }, "\(full)")
    }

    @Test func `files of submit itself count for nothing, and a source that was put aside does`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        try make(shop, [".submit-folder", ".submit-12.part", ".submit-12.try", ".submit-removed-1-2", "one.jpg"])
        let acceptance = try await shop.manager.accept(
            SubmitRequest(paths: [shop.folder.appending("photos")], destinations: ["a"]))
        #expect(acceptance.accepted == 1 && left(acceptance) == ["photos hidden 1"])
    }

    @Test func `a sidecar that was sent when any file was taken is unchanged later, and not left behind`() async throws
    {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let folder = shop.folder.appending("photos")
        try shop.photo("one.jpg")
        let sidecar = folder.appending("one.xmp")
        try Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8).write(to: URL(fileURLWithPath: sidecar.string))
        var request = SubmitRequest(paths: [folder], destinations: ["a"], skipsUnchanged: true)
        request.takesAnyFile = true
        try await shop.run(try await shop.manager.accept(request).batch)
        request.takesAnyFile = false
        request.trustsMarks = false
        let again = try await shop.manager.accept(request)
        #expect(again.unchanged.files == 2 && again.leftBehind.count == 0)
        try Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'>new</x:xmpmeta>".utf8)
            .write(to: URL(fileURLWithPath: sidecar.string))
        let changed = try await shop.manager.accept(request)
        #expect(changed.unchanged.files == 1 && left(changed) == ["photos sidecar 1"])
    }
}
