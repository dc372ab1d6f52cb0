import Foundation
import TestServers
import Testing

/// What the program is for.
@Suite(.fewAtOnce) struct `The main job` {
    @Test func `is of what has priority first`() async throws {
        let submit = Submit()
        let made = try Photos.make(3, in: submit.folder)
        for (photo, priority) in zip(made, ["low", "normal", "high"]) {
            #expect(try await submit.run(["--later", "--to", "file", "--priority", priority, photo]).end == .exited(0))
        }
        let outcome = try await submit.run("resume", "--jobs", "1", "--json")
        let sent = try outcome.events("started").compactMap(\.path)
        #expect(sent == made.reversed(), "\(outcome)")
    }

    @Test func `every sample arrives in the folder and in the object store, byte for byte and proven`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        #expect(Photos.samples.count >= 15)
        let outcome = try await submit.run(["--to", "file,objstore"] + Photos.samples)
        #expect(outcome.end == .exited(0), "\(outcome)")

        let originals = try await FolderDigests.of(
            URL(fileURLWithPath: Photos.samples[0]).deletingLastPathComponent().path)
        let wanted = Dictionary(
            uniqueKeysWithValues: Photos.samples.map { path in
                let name = String(path.split(separator: "/").last!)
                return (name, originals[name]!)
            })
        #expect(try await FolderDigests.of(submit.place) == wanted)
        #expect(try await bucket.digests() == wanted)

        let list = try await submit.list()
        #expect(list.count == 2 * wanted.count)
        #expect(
            list.allSatisfy {
                $0.state == "done" && $0.evidence == "verified" && $0.attempts.map(\.outcome) == ["done"]
            })
        #expect(Set(list.map(\.destination)) == ["file", "objstore"])
    }

    @Test func `a file that is there already is neither copied nor sent again`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        try Photos.make(4, in: submit.folder)
        let first = try await submit.run("--to", "file,objstore", submit.folder.path("photos"))
        #expect(first.end == .exited(0), "\(first)")
        let objects = try await bucket.objects()
        let unchanged = try await submit.run("--to", "file,objstore", submit.folder.path("photos"))
        #expect(
            unchanged.end == .exited(0)
                && unchanged.out.hasPrefix("unchanged since they were sent: 4 at file, 4 at objstore;"), "\(unchanged)")
        #expect(try await submit.list().count == 8)
        let second = try await submit.run("--json", "--reread", "--to", "file,objstore", submit.folder.path("photos"))
        #expect(second.end == .exited(0), "\(second)")
        #expect(try second.events("done").count == 8)
        #expect(try second.events("done").allSatisfy { $0.was_there == true && $0.evidence == "verified" })
        #expect(try await bucket.objects() == objects)
        #expect(try submit.names().count == 4)
    }

    @Test func `a file that was sent is sent anew when its destination is set to another place`() async throws {
        let submit = Submit()
        try Photos.make(2, in: submit.folder)
        #expect(try await submit.run("--to", "file", submit.folder.path("photos")).end == .exited(0))
        let other = submit.folder.path("other place")
        let moved = try await submit.run(
            ["--to", "file", submit.folder.path("photos")], env: ["SUBMIT_FILE_PATH": other])
        #expect(moved.end == .exited(0) && moved.out.contains("file: 2 done"), "\(moved)")
        #expect(try await FolderDigests.of(other) == FolderDigests.of(submit.folder.path("photos")))
    }

    @Test func `originals keep their bytes, their times and their permissions`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        let paths = try Photos.make(6, in: submit.folder)
        for (number, path) in paths.enumerated() {
            chmod(path, number.isMultiple(of: 2) ? 0o400 : 0o640)
            var times = [
                timeval(tv_sec: 1_500_000_000 + number, tv_usec: 123_456),
                timeval(tv_sec: 1_400_000_000, tv_usec: 654_321),
            ]
            utimes(path, &times)
        }
        let before = try await Self.marks(submit.folder.path("photos"))
        #expect(before.split(separator: "\n").count == 6)
        let digests = try await FolderDigests.of(submit.folder.path("photos"))
        let outcome = try await submit.run("--to", "file,objstore", submit.folder.path("photos"))
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(try await Self.marks(submit.folder.path("photos")) == before)
        #expect(try await FolderDigests.of(submit.folder.path("photos")) == digests)
    }

    private static func marks(_ folder: String) async throws -> String {
        try await ChildProcess.output(of: ["sh", "-c", "stat -c '%n %a %u %g %s %i %.Y %.Z' \"$0\"/*", folder])
    }
}
