import Foundation
import TestServers
import Testing

/// What a command does not touch, and tells of.
@Suite(.fewAtOnce) struct `What waits from earlier` {
    /// With one photo of an older batch that waits for `file`.
    private func waiting() async throws -> Submit {
        let submit = Submit()
        try Photos.make(1, in: submit.folder, "old", prefix: "OLD_")
        let later = try await submit.run("--later", "--to", "file", submit.folder.path("old"))
        #expect(later.end == .exited(0), "\(later)")
        return submit
    }

    @Test(
        arguments: [
            (["stauts", "--json"], "status"), (["lst"], "list"), (["Status"], "status"), (["resme", "1"], "resume"),
            (["resume.", "1"], "resume"), (["retyr", "--to", "file"], "retry"),
        ])
    func `is left alone by a verb that is mistyped`(arguments: [String], meant: String) async throws {
        let submit = try await waiting()
        let outcome = try await submit.run(arguments)
        #expect(outcome.end == .exited(2) && outcome.err.contains("“\(meant)”"), "\(outcome)")
        #expect(try await submit.list().map(\.state) == ["waiting"])
        #expect(!FileManager.default.fileExists(atPath: submit.place))
    }

    @Test func `is left alone by a send of which every path is refused`() async throws {
        let submit = try await waiting()
        try submit.folder.write("", to: "empty.jpg")
        for path in ["gone.jpg", "empty.jpg"] {
            let outcome = try await submit.run("--to", "file", submit.folder.path(path))
            #expect(outcome.end == .exited(1), "\(outcome)")
            #expect(
                outcome.out.contains("1 submission of other batches still waits for file: see `submit status`."),
                "\(outcome)")
            #expect(try await submit.list().map(\.state) == ["waiting"])
        }
        try Photos.make(1, in: submit.folder, "new", prefix: "NEW_")
        let sent = try await submit.run("--to", "file", submit.folder.path("new"))
        #expect(sent.end == .exited(0) && !sent.out.contains("still"), "\(sent)")
        #expect(try submit.names().sorted() == ["NEW_1000.jpg", "OLD_1000.jpg"])
    }

    @Test func `is told of where it goes on waiting, and the exit code is about what was asked for`() async throws {
        let submit = try await waiting()
        let elsewhere = ["SUBMIT_FILE_PATH": "/dev/null/no"]
        try submit.configure(
            "destinations:\n  here:\n    type: file\n    path: \(submit.folder.path("here"))\n")
        let photo = submit.folder.path("old/OLD_1000.jpg")
        let text = try await submit.run(["--wait", "0", "--to", "here", photo], env: elsewhere)
        #expect(text.end == .exited(0), "\(text)")
        #expect(text.out.contains("waits for file") || text.out.contains("1 waiting"), "\(text)")
        let json = try await submit.run(["--json", "--wait", "0", "--to", "here", photo], env: elsewhere)
        #expect(json.end == .exited(0) && json.lines.last?.contains(#""others_waiting":{"file":1}"#) == true, "\(json)")
    }

    @Test func `and was cancelled says nothing of a repair`() async throws {
        let submit = Submit()
        try Photos.make(2, in: submit.folder)
        let later = try await submit.run("--later", "--to", "file", submit.folder.path("photos"))
        #expect(later.end == .exited(0), "\(later)")
        #expect(try await submit.run("cancel", "--submission", "1").end == .exited(0))
        #expect(try await submit.run("resume").end == .exited(4))
        for name in try submit.names() { try FileManager.default.removeItem(atPath: "\(submit.place)/\(name)") }
        let repair = try await submit.run("repair")
        #expect(repair.end == .exited(0), "\(repair)")
        #expect(try submit.names() == ["IMG_1001.jpg"])
    }

    @Test func `is paused by name, or at all that is set up`() async throws {
        let submit = try await waiting()
        let all = try await submit.run(["pause"], env: ["S3_BUCKET": "bucket"])
        #expect(all.out == "Paused: file, objstore. `submit resume` goes on.\n", "\(all)")
    }
}
