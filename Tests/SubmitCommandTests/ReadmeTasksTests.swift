import Foundation
import TestServers
import Testing

/// What the README tells photographers to type is typed, at real servers: with other folders, hosts and names alone.
@Suite(.fewAtOnce) struct `The README's task` {
    private let text: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL
        text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    /// The commands below a heading, with what is another here.
    private func commands(below heading: String, _ others: [String: String]) throws -> String {
        let section = try #require(text.components(separatedBy: "\n## \(heading)").dropFirst().first)
        let block = try #require(section.components(separatedBy: "```sh\n").dropFirst().first)
        var commands = try #require(block.components(separatedBy: "```").first)
        for (before, after) in others.sorted(by: { $0.key.count > $1.key.count }) {
            #expect(commands.contains(before), "the README says no “\(before)”")
            commands = commands.replacing(before, with: after)
        }
        return commands
    }

    /// Types commands into a shell, in which `submit` is what is tested.
    private func type(_ commands: String, _ submit: Submit, env: [String: String] = [:]) async throws -> Outcome {
        let bin = try submit.folder.folder("bin")
        symlink(Submit.program, bin + "/submit")
        let path = bin + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        // No secret is asked for in a pipe: they come from the environment.
        let environment = ["PATH": path, "SUBMIT_FILE_PATH": "", "S3_BUCKET": ""].merging(env) { $1 }
        return try await submit.run([commands], env: environment, wrapper: ["bash", "-ec", "eval \"$1\""])
    }

    @Test func `of a card ends with what it promises`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        let card = TemporaryFolder(in: "/dev/shm")
        try Photos.make(3, in: card, "DCIM/100CANON")
        let commands = try commands(
            below: "A card",
            [
                "/mnt/nas/photos": submit.folder.path("nas"), "https://s3.example.com": bucket.server.endpoint,
                "bucket=photos": "bucket=\(bucket.name)", "/media/me/CARD": card.path,
            ])
        let outcome = try await type(commands, submit)
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(outcome.out.contains("\nsafe to format: 3 of 3 at 2 places (nas, cloud), "), "\(outcome)")
        #expect(try await bucket.digests().count == 3)
        #expect(
            try await FolderDigests.of(submit.folder.path("nas")).values.sorted() == bucket.digests().values.sorted())
    }

    @Test func `of a folder each night sends it once`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        try submit.configure(
            """
            destinations:
              nas: { type: file, path: "\(submit.folder.path("nas"))" }
              cloud: { type: objstore, bucket: "\(bucket.name)" }

            """)
        try Photos.make(2, in: submit.folder, "home/Pictures")
        let commands = try commands(
            below: "A folder each night",
            ["/mnt/nas/submit-journal.sqlite": submit.folder.path("backup.sqlite")])
        for _ in 0..<2 {
            let outcome = try await type(commands, submit)
            #expect(outcome.end == .exited(0), "\(outcome)")
        }
        #expect(try await submit.list().count == 4)
        #expect(try await bucket.digests().count == 2)
        let check = try await submit.run("journal", "check", submit.folder.path("backup.sqlite"))
        #expect(check.end == .exited(0), "\(check)")
    }
}
