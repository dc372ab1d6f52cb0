import Foundation
import TestServers
import Testing

/// Several processes on one journal.
@Suite(.fewAtOnce) struct `Two processes at once` {
    @Test func `share the work without doing anything twice`() async throws {
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        for batch in 1...6 {
            try Photos.make(10, in: submit.folder, "old\(batch)", prefix: "OLD\(batch)_", seed: UInt64(batch))
            let outcome = try await submit.run("--later", "--to", "file,objstore", submit.folder.path("old\(batch)"))
            #expect(outcome.end == .exited(0), "\(outcome)")
        }
        try Photos.make(30, in: submit.folder, "one", prefix: "ONE_", seed: 101)
        try Photos.make(30, in: submit.folder, "two", prefix: "TWO_", seed: 102)

        // Each new one takes up what is waiting too, and two more want nothing else.
        let processes = try [
            submit.start("--to", "file,objstore", submit.folder.path("one")),
            submit.start("resume"),
            submit.start("--to", "file,objstore", submit.folder.path("two")),
            submit.start("resume", "4", "5"),
        ]
        for process in processes {
            let outcome = try await process.outcome()
            // A batch that another one works on is still waiting as this one looks.
            #expect(outcome.end == .exited(0) || outcome.end == .exited(3), "\(outcome)")
            #expect(outcome.err == "", "\(outcome)")
        }

        let list = try await submit.list()
        #expect(list.count == 2 * 120)
        for submission in list {
            #expect(
                submission.state == "done" && submission.tries == 1 && submission.was_there == false, "\(submission)")
            #expect(submission.attempts.map(\.outcome) == ["done"], "\(submission)")
        }
        #expect(try await FolderDigests.of(submit.place).count == 120)
        #expect(try await bucket.objects().count == 120)
        #expect(try await bucket.digests() == FolderDigests.of(submit.place))
    }

    @Test func `may begin a journal together`() async throws {
        let submit = Submit()
        let processes = try (0..<6).map { number in
            try Photos.make(3, in: submit.folder, "p\(number)", prefix: "P\(number)_", seed: UInt64(number))
            return try submit.start("--to", "file", submit.folder.path("p\(number)"))
        }
        for process in processes {
            let outcome = try await process.outcome()
            #expect(outcome.end == .exited(0), "\(outcome)")
        }
        let list = try await submit.list()
        #expect(list.count == 18 && list.allSatisfy { $0.attempts.map(\.outcome) == ["done"] })
        #expect(Set(list.map(\.batch)).count == 6)
    }
}
