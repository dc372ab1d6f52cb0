import Foundation
import TestServers
import Testing

/// A line of `audit` or `repair` with `--json`.
private struct ProofLine: Decodable {
    struct Elsewhere: Decodable { var destination: String }
    struct Sums: Decodable {
        var destination: String
        var there: [String: Int]
        var vanished: Int
        var cannot_tell: Int
    }

    var event: String
    var destination: String?
    var finding: String?
    var evidence_now: String?
    var difference: String?
    var source: String?
    var decision: String?
    var message: String?
    var elsewhere: [Elsewhere]?
    var exit_code: Int?
}

@Suite(.fewAtOnce) struct `Copies at a folder and at a server` {
    /// nginx tells sizes only.
    private func sent(_ count: Int, _ arguments: String...) async throws -> (WebDAVPlace, [String]) {
        let place = WebDAVPlace(try await WebDAVPlace.nginx())
        let paths = try Photos.make(count, in: place.submit.folder)
        let outcome = try await place.submit.run(["--to", "file,webdav"] + arguments + paths)
        #expect(outcome.end == .exited(0), "\(outcome)")
        return (place, paths)
    }

    /// Two photos that have arrived in the folder, while the server is not there.
    private func sentWhileDown(removedWhen copies: Int) async throws -> (NginxDAVServer, Submit, card: [String]) {
        let server = try await NginxDAVServer()
        let submit = WebDAVPlace(server).submit
        let card = try Photos.make(2, in: submit.folder, "card")
        try await server.stop()
        let down = try await submit.run(
            ["--wait", "0", "--to", "file,webdav", "--verify", "readback", "--remove-source-when", "\(copies)"] + card)
        #expect(down.end == .exited(3), "\(down)")
        return (server, submit, card)
    }

    @Test func `are audited, repaired and audited again`() async throws {
        let (place, paths) = try await sent(4)
        let submit = place.submit
        let fine = try await submit.run("audit")
        #expect(fine.end == .exited(0), "\(fine)")
        #expect(fine.lines == ["file: 4 there (4 verified)", "webdav: 4 there (4 size)"], "\(fine)")

        // Lost at the folder; changed at the server, once in the size and once within.
        unlink("\(submit.place)/IMG_1000.jpg")
        try Data("short".utf8).write(to: URL(fileURLWithPath: "\(place.data)/IMG_1001.jpg"))
        let size = try #require(try FileManager.default.attributesOfItem(atPath: paths[2])[.size] as? Int)
        try Data(Photos.jpeg(size, seed: 99)).write(to: URL(fileURLWithPath: "\(place.data)/IMG_1002.jpg"))
        let usual: [ProofLine] = try await submit.run("audit", "--json", "webdav").decoded()
        #expect(usual.filter { $0.finding == "changed" }.map(\.difference) == ["size"])
        let lost = try await submit.run("audit", "--json", "--verify", "readback")
        #expect(lost.end == .exited(1), "\(lost)")
        let lines: [ProofLine] = try lost.decoded()
        #expect(lines.count == 9 && lines.last?.event == "audit-summary" && lines.last?.exit_code == 1, "\(lost)")
        #expect(lines.filter { $0.finding == "changed" }.compactMap(\.difference).sorted() == ["digest", "size"])
        #expect(lines.filter { $0.finding == "vanished" }.map(\.destination) == ["file"])
        #expect(lines.filter { $0.finding == "there" }.allSatisfy { $0.evidence_now == "verified" })

        let dry = try await submit.run("repair", "--dry-run", "--verify", "readback")
        #expect(dry.out.contains("3 submissions would be sent again"), "\(dry)")
        #expect(dry.out.contains("2 changed copies would stay: "), "\(dry)")
        #expect(!FileManager.default.fileExists(atPath: "\(submit.place)/IMG_1000.jpg"))
        let repair = try await submit.run("repair", "--verify", "readback")
        #expect(repair.end == .exited(0), "\(repair)")
        let kept = try #require(repair.lines.last)
        #expect(kept.hasPrefix("2 changed copies were not replaced and are still there: "), "\(repair)")
        #expect(kept.contains("IMG_1002.jpg") && kept.contains("`submit repair --on-conflict overwrite`"), "\(repair)")
        #expect(try await FolderDigests.of(submit.place) == FolderDigests.of(submit.folder.path("photos")))
        let there = try await place.digests()
        let originals = try await FolderDigests.of(submit.place)
        #expect(there.count == 6 && Set(there.values).isSuperset(of: originals.values))
        #expect(try String(contentsOfFile: "\(place.data)/IMG_1001.jpg", encoding: .utf8) == "short")
        #expect(try await submit.run("audit", "--verify", "readback").end == .exited(0))
        let again = try await submit.run("repair")
        #expect(again.end == .exited(0) && again.lines == ["Nothing is lost."], "\(again)")
    }

    @Test func `that cannot be told are never called lost, and never sent again`() async throws {
        let server = try await NginxDAVServer()
        let place = WebDAVPlace(server)
        let paths = try Photos.make(2, in: place.submit.folder)
        #expect(try await place.submit.run(["--to", "file,webdav"] + paths).end == .exited(0))
        try await server.stop()
        let audit = try await place.submit.run("audit")
        #expect(audit.end == .exited(3), "\(audit)")
        #expect(audit.out.contains("webdav: 2 cannot tell") && !audit.out.contains("vanished"), "\(audit)")
        let repair = try await place.submit.run("repair")
        #expect(repair.end == .exited(3) && repair.out.contains("Nothing is known to be lost"), "\(repair)")
        #expect(try await place.submit.list().allSatisfy { $0.state == "done" && $0.tries == 1 })
        await server.remove()
    }

    @Test func `without a source are told with where they can be had`() async throws {
        let (place, paths) = try await sent(1)
        unlink("\(place.data)/IMG_1000.jpg")
        unlink(paths[0])
        let repair = try await place.submit.run("repair", "--json")
        #expect(repair.end == .exited(1), "\(repair)")
        let line = try #require(try repair.decoded(ProofLine.self).first)
        #expect(
            line.decision == "impossible" && line.source == "missing" && line.elsewhere?.map(\.destination) == ["file"])
        #expect(line.message?.contains("a verified copy is at file") == true, "\(repair)")
    }

    @Test func `free the card of its photos only where they are verified`() async throws {
        let submit = WebDAVPlace(try await WebDAVPlace.nginx()).submit
        let card = try Photos.make(2, in: submit.folder, "card")
        let weak = try await submit.run(["--to", "file,webdav", "--remove-source-when", "2"] + card)
        #expect(weak.end == .exited(1), "\(weak)")
        #expect(
            weak.err.contains(
                "webdav proves its copy by “size” only; submit it to be read back. Give --verify readback."), "\(weak)")
        #expect(card.allSatisfy(FileManager.default.fileExists(atPath:)))
        let warned = try await submit.run(["--to", "file,webdav", "--remove-source-when", "1", "--dry-run"] + card)
        #expect(warned.err.contains("“webdav” proved its last copy by “size” only"), "\(warned)")

        let outcome = try await submit.run(
            ["--json", "--to", "file,webdav", "--remove-source-when", "2", "--verify", "readback"] + card)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(try outcome.events("source-removed").count == 2)
        #expect(!card.contains(where: FileManager.default.fileExists(atPath:)))
        let trash = submit.folder.path("home/.local/share/Trash/files")
        #expect(try await FolderDigests.of(trash) == FolderDigests.of(submit.place))
    }

    @Test func `are waited for before a source goes, and a later run removes it`() async throws {
        let (server, submit, card) = try await sentWhileDown(removedWhen: 1)
        #expect(card.allSatisfy(FileManager.default.fileExists(atPath:)), "webdav is still owed them")
        try await server.restart()
        let back = try await submit.run("resume")
        #expect(back.end == .exited(0) && back.out.contains("sources: 2 removed"), "\(back)")
        #expect(!card.contains(where: FileManager.default.fileExists(atPath:)))
        #expect(try await submit.run("resume").lines == ["Nothing is waiting."])
        await server.remove()
    }

    @Test func `are one copy where two folders are one by another name`() async throws {
        let submit = Submit()
        let card = try Photos.make(1, in: submit.folder, "card")
        try submit.folder.folder("disk")
        symlink(submit.folder.path("disk"), submit.folder.path("link"))
        try submit.configure(
            """
            destinations:
              disk: { type: file, path: "\(submit.folder.path("disk"))" }
              dot: { type: file, path: "\(submit.folder.path("disk"))/../disk" }
              link: { type: file, path: "\(submit.folder.path("link"))" }

            """)
        let outcome = try await submit.run(["--to", "disk,dot,link", "--remove-source-when", "2"] + card)
        #expect(outcome.end == .exited(1), "\(outcome)")
        #expect(outcome.err.contains("two of the destinations are one place"), "\(outcome)")
        #expect(card.allSatisfy(FileManager.default.fileExists(atPath:)))
        try submit.folder.folder("empty")
        let empty = try await submit.run("--to", "disk", submit.folder.path("empty"))
        #expect(empty.end == .exited(0) && empty.out.contains("nothing to submit"), "\(empty)")
    }

    @Test(.enabled("it takes the right to mount") { await SmallDisk.isAllowed() })
    func `on a card go into the trash on that card`() async throws {
        let disk = try await SmallDisk.mount("4m")
        let submit = Submit()
        func send(_ name: String) async throws {
            let path = "\(disk.path)/DCIM/\(name)"
            try FileManager.default.createDirectory(atPath: "\(disk.path)/DCIM", withIntermediateDirectories: true)
            try Data(Photos.jpeg(3000, seed: UInt64(name.utf8.count))).write(to: URL(fileURLWithPath: path))
            let outcome = try await submit.run("--to", "file", "--remove-source-when", "1", path)
            #expect(outcome.end == .exited(0), "\(outcome)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        try await send("one.jpg")
        let own = "\(disk.path)/.Trash-\(getuid())"
        #expect(FileManager.default.fileExists(atPath: "\(own)/files/one.jpg"))
        // The last copy that there is, once the destination lost its own.
        unlink("\(submit.place)/one.jpg")
        let lost = try await submit.run("audit")
        #expect(lost.out.contains("is in the trash as \(own)/files/one.jpg"), "\(lost)")
        let hopeless = try await submit.run("repair")
        #expect(hopeless.end == .exited(1), "\(hopeless)")
        #expect("\(hopeless)".contains("“\(own)/files/one.jpg”: put it back at “\(disk.path)/DCIM/one.jpg” and repair"))
        rename("\(own)/files/one.jpg", "\(disk.path)/DCIM/one.jpg")
        let repaired = try await submit.run("repair")
        #expect(repaired.end == .exited(0), "\(repaired)")
        #expect(FileManager.default.fileExists(atPath: "\(submit.place)/one.jpg"))
        let info = try String(contentsOfFile: "\(own)/info/one.jpg.trashinfo", encoding: .utf8)
        #expect(info.contains("\nPath=DCIM/one.jpg\n"), "\(info)")
        // The administrator's, which has to have the sticky bit.
        let shared = "\(disk.path)/.Trash"
        mkdir(shared, 0o777)
        chmod(shared, 0o777)
        try await send("three.jpg")
        #expect(FileManager.default.fileExists(atPath: "\(own)/files/three.jpg"))
        chmod(shared, 0o1777)
        try await send("fourth.jpg")
        #expect(FileManager.default.fileExists(atPath: "\(shared)/\(getuid())/files/fourth.jpg"))
    }

    @Test func `are no copies where they are the source`() async throws {
        let folder = TemporaryFolder()
        let photos = try Photos.make(2, in: folder, "photos")
        let submit = Submit(place: folder.path("photos"))
        for how in ["trash", "delete"] {
            let outcome = try await submit.run(
                ["--to", "file", "--remove-source-when", "1", "--remove-source-how", how] + photos)
            #expect(outcome.end == .exited(1) && outcome.err.contains("the source itself"), "\(outcome)")
            #expect(try submit.names().sorted() == ["IMG_1000.jpg", "IMG_1001.jpg"])
        }
    }

    @Test func `keep sources in sight that are yet to be removed`() async throws {
        let (server, submit, card) = try await sentWhileDown(removedWhen: 2)
        // What is lost before the second copy is there; and another batch is the last one now.
        for name in try submit.names() { unlink("\(submit.place)/\(name)") }
        try await server.restart()
        let back = try await submit.run("resume")
        #expect(back.end == .exited(3) && back.lines.contains("sources: 2 not removed yet"), "\(back)")
        #expect(back.out.contains("`submit repair 1` sends them again"), "\(back)")
        try Photos.make(1, in: submit.folder, "other")
        #expect(try await submit.run("--to", "file", "--later", submit.folder.path("other")).end == .exited(0))
        for verb in ["status", "history"] {
            let told = try await submit.run(verb)
            #expect(told.lines.contains("  sources: 2 not removed yet"), "\(told)")
        }
        #expect(card.allSatisfy(FileManager.default.fileExists(atPath:)))
        let repaired = try await submit.run("repair", "1")
        #expect(repaired.end == .exited(0) && repaired.lines.contains("sources: 2 removed"), "\(repaired)")
        #expect(!card.contains(where: FileManager.default.fileExists(atPath:)))
        await server.remove()
    }

    @Test func `are asked for by names and numbers that there are`() async throws {
        let (place, paths) = try await sent(1)
        #expect(!paths.isEmpty)
        for arguments in [["audit", "7"], ["audit", "webdev"], ["repair", "7"]] {
            #expect(try await place.submit.run(arguments).end == .exited(2))
        }
        let many = try await place.submit.run(["--to", "file", "--remove-source-when", "2"] + paths)
        #expect(many.end == .exited(2) && many.err.contains("there is only 1 destination"), "\(many)")
        let how = try await place.submit.run(["--to", "file", "--remove-source-how", "delete"] + paths)
        #expect(how.end == .exited(2) && how.err.contains("--remove-source-when COPIES"), "\(how)")
        #expect(try await place.submit.run("audit", "1", "file").lines == ["file: 1 there (1 verified)"])
        #expect(try await place.submit.run("audit", "--to", "file").lines == ["file: 1 there (1 verified)"])
        let repair = try await place.submit.run("repair", "--to", "file")
        #expect(repair.end == .exited(0) && repair.lines == ["Nothing is lost."], "\(repair)")
    }
}
