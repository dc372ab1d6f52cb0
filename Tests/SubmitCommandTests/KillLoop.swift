import Foundation
import TestServers
import Testing

/// Sends files to a folder and to an object store, and kills `submit` again and again until all is done.
struct KillLoop {
    var files: Int
    var kills: Int
    var seed: UInt64

    init(files: Int, kills: Int) {
        let environment = ProcessInfo.processInfo.environment
        self.files = environment["SUBMIT_TORTURE_FILES"].flatMap(Int.init) ?? files
        self.kills = environment["SUBMIT_TORTURE_KILLS"].flatMap(Int.init) ?? kills
        seed = environment["SUBMIT_TORTURE_SEED"].flatMap(UInt64.init) ?? .random(in: 0...999_999)
    }

    /// What came of it.
    struct Report {
        var files: [String: String] = [:]
        var copies: [String: String] = [:]
        var objects: [String: String] = [:]
        var leftovers: [String] = []
        var submissions: [ListedSubmission] = []
        /// Kills that hit a process at work.
        var kills = 0
        /// Runs in all, with the last one.
        var runs = 0
        /// Objects that were stored anew after they had been stored: name, and both times.
        var rewritten: [String] = []
        /// What ended otherwise than it should.
        var surprises: [String] = []
        var last: Outcome?
        var seconds = 0.0

        /// The names that a place has otherwise than the folder, with what each of them has; empty where they are the same.
        func others(_ place: [String: String]) -> [String: [String?]] {
            Set(files.keys).union(place.keys).filter { files[$0] != place[$0] }
                .reduce(into: [:]) { $0[$1] = [files[$1], place[$1]] }
        }
    }

    func run() async throws -> Report {
        var numbers = SeededNumbers(seed: seed)
        var report = Report()
        let start = ContinuousClock.now
        let bucket = try await SwiftServer.shared().makeBucket()
        let submit = Submit(bucket)
        try Photos.make(files, in: submit.folder, sizes: 500...600_000, seed: seed)
        let source = submit.folder.path("photos")
        let send = ["--to", "file,objstore", "--json", source]
        var stored: [String: SwiftBucket.Object] = [:]

        // A kill may hit the acceptance: what was not accepted then is asked for again, as its user would.
        var command = send
        // The batch that the last `send` makes, unless it is killed before.
        var asked = 1
        while report.runs < kills * 4 {
            report.runs += 1
            let process = try submit.start(command)
            // From before the journal is opened to the midst of sending; every other one surely in the midst.
            let isPatient = report.runs.isMultiple(of: 2)
            let delay = Duration.milliseconds(Int.random(in: isPatient ? 0...250 : 5...400, using: &numbers))
            while isPatient, process.child.isRunning, try !process.output().contains("\"started\"") {
                try await Task.sleep(for: .milliseconds(5))
            }
            try await Task.sleep(for: delay)
            let isHit = report.kills < kills && process.child.isRunning
            if isHit { process.child.signal(SIGKILL) }
            let outcome = try await process.outcome()
            for object in try await bucket.objects() {
                if let before = stored[object.name], before != object {
                    report.rewritten.append("\(object.name): \(before.changed), \(object.changed)")
                }
                stored[object.name] = object
            }
            switch outcome.end {
            case .killed(SIGKILL) where isHit: report.kills += 1
            case .exited(0) where report.kills >= kills:
                report.last = outcome
            case .exited(0): break
            default: report.surprises.append("run \(report.runs) \(outcome)")
            }
            if report.last != nil { break }
            // All is done though kills are left: more files, so that there is something to kill.
            if outcome.end == .exited(0) {
                try Photos.make(
                    files / 2, in: submit.folder, prefix: "MORE_\(report.runs)_", sizes: 500...600_000,
                    seed: numbers.next())
                command = send
                asked = try await Self.newestBatch(submit) + 1
            } else {
                command = try await Self.newestBatch(submit) >= asked ? ["resume", "--json"] : send
            }
        }
        report.seconds = Double((ContinuousClock.now - start).components.seconds)
        report.files = try await FolderDigests.of(source)
        report.copies = try await FolderDigests.of(submit.place)
        report.objects = try await bucket.digests()
        report.leftovers = try submit.leftovers()
        report.submissions = try await submit.list()
        return report
    }

    /// The newest batch in the journal; from its beginning on `resume` does the rest, acceptance included.
    private static func newestBatch(_ submit: Submit) async throws -> Int {
        struct Batch: Decodable { var batch: Int? }
        return try await submit.run("status", "--json").decoded(Batch.self).compactMap(\.batch).max() ?? 0
    }
}

@Suite(.fewAtOnce) struct `Killed again and again` {
    @Test func `every file arrives once at both places, and nothing done is sent again`() async throws {
        let loop = KillLoop(files: 60, kills: 6)
        let report = try await loop.run()
        let tries = report.submissions.flatMap(\.attempts)
        let figures = """
            seed \(loop.seed): \(report.files.count) files, \(report.kills) kills in \(report.runs) runs, \
            \(report.seconds) s; \(report.submissions.count) submissions, \(tries.count) attempts, of which \
            \(tries.count { $0.outcome == "interrupted" }) were broken off by a kill; \
            \(report.submissions.count { $0.was_there == true }) found what a broken attempt had left complete
            """
        print("torture: \(figures)")
        let comment = Comment(rawValue: figures)

        #expect(report.surprises.isEmpty, comment)
        #expect(report.last?.end == .exited(0), comment)
        #expect(report.kills == loop.kills, comment)
        // Same names, same bytes, and no second copy of any.
        #expect(report.others(report.copies).isEmpty, comment)
        #expect(report.others(report.objects).isEmpty, comment)
        #expect(report.leftovers.isEmpty, comment)
        #expect(report.rewritten.isEmpty, comment)

        #expect(report.submissions.allSatisfy { $0.state == "done" && $0.evidence == "verified" }, comment)
        for submission in report.submissions {
            // One attempt that came to its end, after it none.
            #expect(submission.attempts.last?.outcome == "done", comment)
            #expect(submission.attempts.dropLast().allSatisfy { $0.outcome == "interrupted" }, "\(submission)")
            #expect(submission.attempts.count == submission.tries, "\(submission)")
        }
    }
}
