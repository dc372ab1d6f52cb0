import Foundation
import TestServers
import Testing

/// The built `submit`, run as people run it, in a home of its own.
final class Submit: Sendable {
    /// Holds the home; tests put their photos and destinations beside it.
    let folder = TemporaryFolder()
    let environment: [String: String]

    /// The folder behind the destination `file`.
    let place: String

    /// Beside the test bundle, where the same build put it, unless the environment names another.
    static let program =
        ProcessInfo.processInfo.environment["SUBMIT_TORTURE_PROGRAM"]
        ?? URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("submit").path

    /// - Parameters:
    ///   - place: of the destination `file`; `nil`: a folder of its own.
    ///   - environment: added to the little there is by default.
    init(place: String? = nil, _ environment: [String: String] = [:]) {
        self.place = place ?? folder.path("place")
        // A build with a sanitizer has to know what scripts/sanitize.sh says to it.
        let sanitizers = ProcessInfo.processInfo.environment.filter {
            ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key)
        }
        self.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LANG": "C.UTF-8",
            "HOME": folder.path("home"), "XDG_CONFIG_HOME": folder.path("config"),
            "XDG_STATE_HOME": folder.path("state"),
            "SUBMIT_FILE_PATH": self.place,
        ].merging(sanitizers) { $1 }.merging(environment) { $1 }
        mkdir(folder.path("home"), 0o700)
    }

    /// One whose destination `objstore` is a bucket at this server.
    convenience init(_ bucket: SwiftBucket, place: String? = nil, _ environment: [String: String] = [:]) {
        self.init(place: place, Self.environment(bucket).merging(environment) { $1 })
    }

    /// One whose destination `objstore` is at this address.
    convenience init(endpoint: String, _ environment: [String: String] = [:]) {
        self.init(
            [
                "S3_BUCKET": "bucket", "AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": "AKIDTHISISTHEID",
                "AWS_SECRET_ACCESS_KEY": Submit.secret,
            ].merging(environment) { $1 })
    }

    /// The secret of destinations that are no real ones; to be found nowhere.
    static let secret = "s3cr3t-0f-th3-t3sts"

    static func environment(_ bucket: SwiftBucket) -> [String: String] {
        [
            "S3_BUCKET": bucket.name, "AWS_ENDPOINT_URL": bucket.server.endpoint, "AWS_REGION": bucket.server.region,
            "AWS_ACCESS_KEY_ID": bucket.server.accessKey, "AWS_SECRET_ACCESS_KEY": bucket.server.secretKey,
        ]
    }

    var configuration: String { folder.path("config/submit/config.yaml") }
    var secrets: String { folder.path("config/submit/secrets.yaml") }
    var journal: String { folder.path("state/submit/journal.sqlite") }

    func configure(_ text: String) throws {
        try folder.folder("config/submit")
        try folder.write(text, to: "config/submit/config.yaml")
    }

    /// Runs `submit` to its end.
    ///
    /// - Parameters:
    ///   - env: added to the environment.
    ///   - input: what it gets on standard input.
    ///   - wrapper: a program that runs it, with arguments.
    func run(
        _ arguments: [String], env: [String: String] = [:], input: String? = nil, in start: String? = nil,
        wrapper: [String] = [], within seconds: Double = 60
    ) async throws -> Outcome {
        try await self.start(arguments, env: env, input: input, in: start, wrapper: wrapper).outcome(within: seconds)
    }

    func run(_ arguments: String..., env: [String: String] = [:]) async throws -> Outcome {
        try await run(arguments, env: env)
    }

    /// Starts `submit` and returns while it runs.
    func start(
        _ arguments: [String], env: [String: String] = [:], input: String? = nil, in start: String? = nil,
        wrapper: [String] = []
    ) throws -> RunningSubmit {
        try RunningSubmit(
            wrapper + [Self.program] + arguments, environment: environment.merging(env) { $1 }, input: input, in: start)
    }

    func start(_ arguments: String..., env: [String: String] = [:]) throws -> RunningSubmit {
        try start(arguments, env: env)
    }

    /// Every submission in the journal, with its attempts.
    func list(_ arguments: String...) async throws -> [ListedSubmission] {
        let outcome = try await run(["list", "--json", "--attempts"] + arguments)
        try #require(outcome.end == .exited(0), "\(outcome)")
        return try outcome.decoded()
    }

    /// The bytes of the journal and of SQLite's files beside it.
    func journalBytes() -> Data {
        ["", "-wal", "-shm"].reduce(into: Data()) { data, suffix in
            data += FileManager.default.contents(atPath: journal + suffix) ?? Data()
        }
    }

    /// Names in the folder of `file`, or another destination's, but for the mark by which it is known again.
    func names(in folder: String? = nil) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder ?? place).filter { $0 != ".submit-folder" }
    }

    /// Names in the folder of `file` that begin with a dot: what a broken copy would leave.
    func leftovers() throws -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: place) else { return [] }
        return walk.compactMap { $0 as? String }.filter {
            $0 != ".submit-folder" && ($0.split(separator: "/").last?.hasPrefix(".") ?? false)
        }
    }
}

/// A `submit` that was started.
final class RunningSubmit: Sendable {
    let child: ChildProcess
    private let files = TemporaryFolder()

    init(_ command: [String], environment: [String: String], input: String?, in start: String?) throws {
        if let input { try files.write(input, to: "in") }
        child = try ChildProcess(
            command, environment: environment, folder: start, input: input == nil ? "/dev/null" : files.path("in"),
            output: files.path("out"), errors: files.path("err"))
    }

    /// What it has printed so far.
    func output() throws -> String { try files.text("out") }
    func errors() throws -> String { try files.text("err") }

    /// Stops it until it gets SIGCONT, as soon as its output so far is such.
    ///
    /// On a thread of its own: when this machine is busy, a task may get its turn when all is over.
    func freeze(when isSuch: @escaping @Sendable (String) -> Bool) async {
        await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                while self.child.isRunning, !isSuch((try? self.output()) ?? "") { usleep(2000) }
                self.child.signal(SIGSTOP)
                waiter.resume()
            }
        }
    }

    func outcome(within seconds: Double = 60) async throws -> Outcome {
        let end = await child.end(within: seconds)
        return Outcome(end: end, out: try files.text("out"), err: try files.text("err"))
    }
}

/// What came of a run.
struct Outcome: Sendable, CustomStringConvertible {
    var end: ChildProcess.End
    var out: String
    var err: String

    var lines: [String] { out.split(separator: "\n").map(String.init) }
    var troubles: [String] { err.split(separator: "\n").map(String.init) }

    /// Standard output as JSON lines; fails on any that is none.
    func decoded<Object: Decodable>(_ type: Object.Type = Object.self) throws -> [Object] {
        try lines.map { try JSONDecoder().decode(Object.self, from: Data($0.utf8)) }
    }

    func events(_ name: String) throws -> [Event] {
        try decoded(Event.self).filter { $0.event == name }
    }

    var description: String {
        func short(_ text: String) -> String {
            text.count <= 4000 ? text : "\(text.prefix(2000))\n…\n\(text.suffix(2000))"
        }
        return "ended with \(end)\nstdout: \(short(out))\nstderr: \(short(err))"
    }
}

/// A line of `--json`; see `JSONLines.md`.
struct Event: Sendable, Decodable {
    var event: String
    var destination: String?
    var submission: Int?
    var name: String?
    var path: String?
    var code: String?
    var message: String?
    var evidence: String?
    var was_there: Bool?
    var exit_code: Int?
    var batches: [Int]?
    var batch: Int?
}

/// A line of `submit list --json --attempts`.
struct ListedSubmission: Sendable, Decodable {
    struct Attempt: Sendable, Decodable {
        var number: Int
        var outcome: String
        var code: String?
    }

    struct Item: Sendable, Decodable {
        var name: String
        var path: String
        var size: Int
        var sha256: String
    }

    var submission: Int
    var batch: Int
    var destination: String
    var state: String
    var item: Item
    var tries: Int
    var evidence: String?
    var remote_id: String?
    var was_there: Bool?
    var note: String?
    var code: String?
    var message: String?
    var album: String?
    var attempts: [Attempt]
}
