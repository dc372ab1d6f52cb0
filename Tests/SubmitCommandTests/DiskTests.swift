import Foundation
import TestServers
import Testing

/// A line of `audit`, of `status` or of `destinations moved` with `--json`.
private struct DiskLine: Decodable {
    var event: String?
    var finding: String?
    var reason: String?
    var code: String?
    var moved: Bool?
    var message: String?
}

@Suite(.fewAtOnce) struct `A disk` {
    @Test(.enabled("needs to mount exFAT") { try await LoopDisk.works(.exfat) })
    func `that is not connected is waited for, and nothing goes to the system's`() async throws {
        let disk = try await LoopDisk(.exfat)
        let submit = Submit(place: disk.path + "/Photos")
        let paths = try Photos.make(3, in: submit.folder)
        #expect(try await submit.run("--to", "file", paths[0]).end == .exited(0))
        try await disk.unmount()

        let away = try await submit.run("--json", "--wait", "0", "--to", "file", paths[1])
        #expect(away.end == .exited(3), "\(away)")
        let held = try #require(try lines(away).first { $0.event == "on-hold" }, "\(away)")
        #expect(held.reason == "unreachable" && held.code == "disk-away", "\(away)")
        #expect(held.message?.contains("The disk of “\(submit.place)” is not there") == true, "\(away)")
        for arguments in [["audit"], ["repair", "--wait", "0"]] {
            let run = try await submit.run(arguments + ["--json"])
            #expect(run.end == .exited(3), "\(run)")
            #expect(try lines(run).contains { $0.finding == "cannot-tell" }, "\(run)")
            #expect(try !lines(run).contains { $0.finding == "vanished" }, "\(run)")
        }
        let check = try await submit.run("destinations", "check", "file")
        #expect(check.end == .exited(1) && check.out.contains("is not there"), "\(check)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)

        try await disk.mount()
        let back = try await submit.run("resume")
        #expect(back.end == .exited(0), "\(back)")
        #expect(try await submit.run("audit").end == .exited(0))

        // Its owner decides for another place.
        try await disk.unmount()
        #expect(try await submit.run("--wait", "0", "--to", "file", paths[2]).end == .exited(3))
        let moved = try await submit.run("destinations", "moved", "file", "--json")
        #expect(moved.end == .exited(0), "\(moved)")
        #expect(try lines(moved).first?.moved == true, "\(moved)")
        #expect(try await submit.run("resume").end == .exited(0))
        #expect(try await FolderDigests.of(submit.place).count == 1)
        let lost = try await submit.run("audit", "--json")
        #expect(try lines(lost).count { $0.finding == "vanished" } == 2, "\(lost)")
    }

    @Test(.enabled("needs to mount exFAT") { try await LoopDisk.works(.exfat) })
    func `that does not take a name holds up no other photo`() async throws {
        let disk = try await LoopDisk(.exfat)
        let submit = Submit(place: disk.path + "/Photos")
        let path = try Photos.make(2, in: submit.folder)[0]
        let odd = URL(fileURLWithPath: path).deletingLastPathComponent().path + "/a:b?.jpg"
        try FileManager.default.moveItem(atPath: path, toPath: odd)
        let sent = try await submit.run("--to", "file", submit.folder.path("photos"))
        #expect(sent.end == .exited(0), "\(sent)")
        #expect(try await Set(FolderDigests.of(submit.place).keys) == ["a_b_.jpg", "IMG_1001.jpg"], "\(sent)")
        #expect(try await submit.run("audit").end == .exited(0))
        #expect(try submit.leftovers().isEmpty)
    }

    @Test func `is nothing to other destinations`() async throws {
        let submit = Submit(endpoint: "http://127.0.0.1:9")
        let moved = try await submit.run("destinations", "moved", "objstore")
        #expect(moved.end == .exited(2) && moved.err.contains("does not remember where it is"), "\(moved)")
    }

    private func lines(_ outcome: Outcome) throws -> [DiskLine] { try outcome.decoded() }
}
