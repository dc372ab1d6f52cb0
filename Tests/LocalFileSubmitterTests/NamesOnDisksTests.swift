import Glibc
import Submit
import TestServers
import Testing

@testable import LocalFileSubmitter

/// Not every file system takes every name.
@Suite struct `A name on a disk` {
    @Test(
        .enabled("needs to mount exFAT and NTFS") { try await LoopDisk.works(.exfat, .ntfsWindows) },
        arguments: [LoopDisk.Kind.exfat, .ntfsWindows])
    func `that does not take it is spelled otherwise, and told as it is`(kind: LoopDisk.Kind) async throws {
        let (disk, folder) = (try await LoopDisk(kind), TestFolder())
        let submitter = try folder.submitter(["path": disk.path])
        let names = [
            "a:b?.jpg", "a*b\"<>|.jpg", "a\\b.jpg", "line\nend.jpg", "end.", "end ", "con.jpg", "NUL", "Com1.tar.gz",
            "plain.jpg",
            "Zürich.jpg", "山.jpg", "🏔️.jpg", String(repeating: "é", count: 200) + ".jpeg", ".hidden",
        ]
        for (number, name) in names.enumerated() {
            let (item, bytes) = try folder.original([1, UInt8(number)], name: name)
            let receipt = try await submitter.submit(item, bytes: bytes, context: context(album: "Rome: 2024?"))
            let stored = try #require(PathNames.plain(receipt.remoteID))
            #expect(stored.count == 2 && stored[0] == "Rome_ 2024_", "\(stored)")
            #expect(TestFolder.all("\(disk.path)/Rome_ 2024_").contains(stored[1]), "\(receipt)")
            #expect(await submitter.facets.presence?.presence(of: item, receipt: receipt) == .present(.verified))
            #expect((stored[1] == name) == (receipt.note == nil) || name.utf8.count > 255, "\(receipt)")
            let again = try await submitter.submit(item, bytes: bytes, context: context(album: "Rome: 2024?"))
            #expect(again.wasThere && again.remoteID == receipt.remoteID, "\(again)")
        }
        let stored = TestFolder.all("\(disk.path)/Rome_ 2024_")
        #expect(stored.isSuperset(of: ["a_b_.jpg", "a_b____.jpg", "plain.jpg", "Zürich.jpg", "🏔️.jpg"]), "\(stored)")
        if kind == .ntfsWindows {
            #expect(stored.isSuperset(of: ["con_.jpg", "NUL_", "Com1_.tar.gz", "end_", "end_-1"]), "\(stored)")
        }
        #expect(TestFolder.all(disk.path) == ["Rome_ 2024_", TestFolder.mark])
    }

    @Test(.enabled("needs to mount exFAT") { try await LoopDisk.works(.exfat) }, arguments: ConflictPolicy.allCases)
    func `that is another photo's there never takes that one's place`(policy: ConflictPolicy) async throws {
        let (disk, folder) = (try await LoopDisk(.exfat), TestFolder())
        let submitter = try folder.submitter(["path": disk.path])
        for (first, second) in [
            ("a:b.jpg", "a?b.jpg"), ("a_c.jpg", "a:c.jpg"), ("IMG.jpg", "img.jpg"), ("É.jpg", "é.jpg"),
        ] {
            let (item, bytes) = try folder.original([1], name: first)
            let (other, otherBytes) = try folder.original([2], name: second)
            let receipt = try await submitter.submit(item, bytes: bytes, context: context(onConflict: policy))
            let twin = try? await submitter.submit(other, bytes: otherBytes, context: context(onConflict: policy))
            #expect(await submitter.facets.presence?.presence(of: item, receipt: receipt) == .present(.verified))
            if policy == .rename || policy == .overwrite {
                #expect(twin?.evidence == .verified && twin?.remoteID != receipt.remoteID, "\(twin as Any)")
            }
        }
        // What is meant is replaced.
        let (item, bytes) = try folder.original([1], name: "Own.jpg")
        let (newer, newerBytes) = try folder.original([3], name: "Own.jpg")
        _ = try await submitter.submit(item, bytes: bytes, context: context())
        guard policy == .overwrite else { return }
        let receipt = try await submitter.submit(newer, bytes: newerBytes, context: context(onConflict: policy))
        #expect(receipt.remoteID == "Own.jpg" && !receipt.wasThere)
    }

    @Test(.enabled("needs to mount exFAT") { try await LoopDisk.works(.exfat) })
    func `by which another one calls it is not told as its own`() async throws {
        let (disk, folder) = (try await LoopDisk(.exfat), TestFolder())
        let submitter = try folder.submitter(["path": disk.path])
        let (item, bytes) = try folder.original([1], name: "IMG.jpg")
        _ = try await submitter.submit(item, bytes: bytes, context: context())
        var (same, sameBytes) = try folder.original([1], name: "img.JPG")
        same.name = "img.JPG"
        #expect(try await submitter.submit(same, bytes: sameBytes, context: context()).remoteID == "IMG.jpg")
        #expect(TestFolder.all(disk.path) == ["IMG.jpg", TestFolder.mark])
    }

    @Test(.enabled("needs to mount exFAT") { try await LoopDisk.works(.exfat) })
    func `that only an empty file of a killed attempt holds is taken`() async throws {
        let (disk, folder) = (try await LoopDisk(.exfat), TestFolder())
        let (item, bytes) = try folder.original([1, 2], name: "IMG_1.jpg")
        folder.write([1, 2], to: disk.path + "/.submit-s-1.part")
        folder.write([], to: disk.path + "/IMG_1.jpg")
        let submitter = try folder.submitter(["path": disk.path])
        let receipt = try await submitter.submit(item, bytes: bytes, context: context("s-1", attempt: 2))
        #expect(receipt.remoteID == "IMG_1.jpg")
        #expect(TestFolder.all(disk.path) == ["IMG_1.jpg", TestFolder.mark])
    }

    @Test func `that somebody's empty file has is left to it`() async throws {
        let folder = TestFolder()
        let (item, bytes) = try folder.original([1, 2])
        folder.write([1, 2], to: folder.root + "/.submit-s-1.part")
        folder.write([], to: folder.root + "/IMG_1.jpg")
        let receipt = try await folder.submitter().submit(item, bytes: bytes, context: context("s-1", attempt: 2))
        #expect(receipt.remoteID == "IMG_1-1.jpg" && folder.content("IMG_1.jpg") == [])
        #expect(folder.names() == ["IMG_1.jpg", "IMG_1-1.jpg"])
    }

    @Test func `is tried only where it needs it, and on this disk all are taken`() throws {
        let folder = TestFolder()
        let root = try Folder.root(folder.root, creates: false)
        // Two at once, and what a crash left of a third.
        mkdir(folder.root + "/.submit-names", 0o755)
        folder.write([], to: folder.root + "/.submit-names/a:z")
        #expect(try FileNameProbe.manners(in: root) == FileNameRules())
        #expect(folder.names().isEmpty)
    }

    @Test(arguments: [
        ("a:b?.jpg", "a_b_.jpg"), ("山.jpg", "_.jpg"), ("é.jpg", "é.jpg"), ("end.", "end_"), ("aux", "aux_"),
        ("aux.txt", "aux_.txt"),
        ("LPT¹.x", "LPT__.x"), ("auxiliary.txt", "auxiliary.txt"), ("tab\t.jpg", "tab_.jpg"), ("a b.c d", "a b.c d"),
        (String(repeating: "n", count: 200) + ".jpg", String(repeating: "n", count: 139) + ".jpg"),
    ])
    func `is spelled by what is refused`(name: String, spelled: String) {
        let manners = FileNameRules(
            refused: [":", "?", "\u{1}", "\u{5c71}"], refusedEnds: ["."], refusesDevices: true, longest: 143)
        #expect(manners.fitted(name) == spelled || name == "LPT¹.x" && manners.fitted(name) == "LPT¹_.x")
        #expect(manners.fitted(spelled) == spelled)
        for number in [1, 9999] {
            let numbered = manners.numbered(spelled, number)
            #expect(numbered.utf8.count <= 143 && numbered.contains("-\(number)"))
        }
    }

    @Test(arguments: ["IMG_0001.jpg", "a-b (1).jpeg", "x", "Photo & Co + #1, 50% [final].tif", "it's.png"])
    func `as most are needs no trial`(name: String) { #expect(FileNameRules.isPlain(name)) }

    @Test(arguments: ["a:b", "a.", "a ", "con", "é", "山", "🏔", "a\u{7f}", "a\n", String(repeating: "n", count: 101)])
    func `as few are needs one`(name: String) { #expect(!FileNameRules.isPlain(name)) }
}
