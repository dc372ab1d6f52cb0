import Foundation
import TestServers
import Testing

/// Sends one large file to a WebDAV server, and kills `submit` again and again: while it finds out what the server can
/// do, in the midst of the bytes, and at each step after them.
struct DAVLoop {
    /// The server it goes to.
    enum Server: String, CaseIterable {
        case apache
        case apacheHTTPS = "apache-https"
        case nginx
        case sabrePatch = "sabredav-patch"
        case sabre = "sabredav"
        case lighttpd
        case lighttpdCopy = "lighttpd-copy"
        case lighttpdUnsafe = "lighttpd-unsafe"
        case rclone
        case rcloneCache = "rclone-cache"
        case chezdav
        case wsgidav
        case tomcat
        case subversion
        case asgi
        case copyparty
        case nextcloud = "nextcloud-fake"
        case ownCloud = "owncloud-fake"
        case infiniteScale = "ocis-fake"

        /// The one that the environment names, or all.
        static var wanted: [Server] {
            guard let name = ProcessInfo.processInfo.environment["SUBMIT_TORTURE_SERVER"] else { return usual }
            return Server(rawValue: name).map { [$0] } ?? []
        }

        /// Without those that break off as others do: their contract is tried, and this by hand.
        private static let usual = allCases.filter {
            ![
                .lighttpd, .lighttpdCopy, .lighttpdUnsafe, .rclone, .rcloneCache, .chezdav, .wsgidav, .tomcat,
                .subversion, .asgi, .copyparty,
            ].contains($0)
        }

        /// How it goes on after a break.
        enum Manner {
            /// The file begins anew.
            case whole
            /// Where the server's part of it ends.
            case partial
            /// With the pieces that are missing.
            case pieces
        }

        var manner: Manner {
            switch self {
            case .nginx, .sabre, .lighttpd, .rclone, .rcloneCache, .chezdav, .wsgidav, .tomcat, .subversion, .asgi,
                .copyparty:
                .whole
            case .nextcloud, .ownCloud: .pieces
            case .apache, .apacheHTTPS, .sabrePatch, .infiniteScale, .lighttpdCopy, .lighttpdUnsafe: .partial
            }
        }

        /// Requests with bytes that are under way at once.
        var width: Int { manner == .pieces ? 4 : 1 }

        var evidence: Set<String> {
            switch self {
            case .nginx, .lighttpd, .rclone, .rcloneCache, .chezdav, .wsgidav: ["size"]
            // What was resumed is read. So is what was moved under a weak ETag, when nobody heard of it.
            case .apache, .apacheHTTPS, .sabrePatch, .lighttpdCopy, .lighttpdUnsafe, .tomcat, .subversion, .asgi,
                .copyparty:
                ["size", "verified"]
            // The digest that it computed is lost with the answer that nobody heard.
            case .nextcloud: ["echoed", "verified"]
            case .sabre, .ownCloud, .infiniteScale: ["verified"]
            }
        }
    }

    var server: Server
    /// Of the file.
    var size: Int64
    /// In the midst of the bytes.
    var kills: Int
    var seed: UInt64
    var partSize: Int64

    /// What came of it.
    struct Report {
        /// All moments, also those that are not of the bytes.
        var kills = 0
        /// Bytes that went over the wire; with TLS all that went to the server.
        var sent: Int64 = 0
        /// Requests with more than a trial's bytes.
        var puts = 0
        /// How many of them each resume sent of which bytes had been sent before; `nil` where that cannot be seen.
        var again: [Int]?
        var digest = ""
        /// What lies at the server, by path, without what servers keep for themselves; of folders empty.
        var stored: [String: String] = [:]
        /// What lies where the server keeps uploads.
        var uploads: [String] = []
        /// What `submit cleanup` says.
        var cleanup: Outcome?
        var submissions: [ListedSubmission] = []
        var last: Outcome?
        var seconds = 0.0
    }

    static let folder = "photos/phone"

    func run() async throws -> Report {
        var report = Report()
        let there = try await DAVTarget(server)
        let submit = Submit(
            there.environment.merging([
                "SUBMIT_WEBDAV_FOLDER": Self.folder, "SUBMIT_WEBDAV_PART_SIZE": "\(partSize >> 20)MiB",
            ]) { $1 })
        let send = KilledSend(submit: submit, proxy: there.proxy, destination: "webdav")
        report.digest = try await send.make(size)
        let moments = moments()
        report.kills = moments.count
        let course = try await send.run(moments)
        report.again = server == .apacheHTTPS ? nil : Self.again(course.puts.map { $0.filter(Self.isPart) })
        report.puts = try await there.requests(Self.isPart)
        report.sent = there.proxy.bytes
        (report.last, report.seconds) = (course.last, course.seconds)
        report.stored = try await there.stored()
        report.uploads = try there.uploads.map { try FileManager.default.subpathsOfDirectory(atPath: $0) } ?? []
        report.cleanup = try await submit.run(
            "cleanup", "webdav", "--older-than", "0s", "--dry-run", "--json")
        report.submissions = try await submit.list()
        await there.remove()
        return report
    }

    private func moments() -> [KilledSend.Moment] {
        var numbers = SeededNumbers(seed: seed)
        let bytes = (0..<kills).map { _ in Int64.random(in: 1..<size, using: &numbers) }
        let midst: [KilledSend.Moment] =
            server.manner == .whole ? bytes.map { .after($0) } : bytes.sorted().map { .at($0) }
        // What is encrypted shows no requests.
        if server == .apacheHTTPS { return midst }
        // Scratch files are moved, too; what lies in pieces is put together by a first move.
        let moves: [KilledSend.Moment] = [.before("MOVE"), .unheard("MOVE")]
        return [.before("MOVE")] + midst + moves + (server.manner == .pieces ? moves : [])
    }

    /// No scratch file's.
    private static func isPart(_ put: CountingProxy.Put) -> Bool { put.length > 64 }

    private static func again(_ runs: [[CountingProxy.Put]]) -> [Int] {
        var parts: Set<Int> = []
        var reached: Int64 = 0
        return runs.map { puts in
            let count = puts.count { $0.part.map(parts.contains) ?? ($0.offset < reached) }
            parts.formUnion(puts.compactMap(\.part))
            // What was announced, and did not come, was not sent.
            reached = max(reached, puts.map { $0.part == nil ? $0.offset + $0.bytes : 0 }.max() ?? 0)
            return count
        }
    }
}

@Suite(.fewAtOnce) struct `A large file on its way to a WebDAV server` {
    @Test(arguments: DAVLoop.Server.wanted)
    func `whose sender is killed again and again arrives whole, leaves nothing, and goes on where it can`(
        server: DAVLoop.Server
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let mebibytes = environment["SUBMIT_TORTURE_MIB"].flatMap(Int64.init)
        let loop = DAVLoop(
            server: server, size: mebibytes.map { $0 << 20 } ?? 24 << 20,
            kills: environment["SUBMIT_TORTURE_KILLS"].flatMap(Int.init) ?? 2,
            seed: environment["SUBMIT_TORTURE_SEED"].flatMap(UInt64.init) ?? .random(in: 0...999_999),
            partSize: mebibytes == nil ? 5 << 20 : 8 << 20)
        let report = try await loop.run()
        let submission = try #require(report.submissions.first)
        let path = "\(DAVLoop.folder)/\(KilledSend.name)"
        let again = report.again.map { "\($0.reduce(0, +)) parts sent again, at most \($0.max() ?? 0) after a kill" }
        let figures = """
            \(server.rawValue), seed \(loop.seed): a file of \(loop.size) bytes, \(report.kills) kills \
            (\(loop.kills) in the midst of the bytes), \((report.seconds * 10).rounded() / 10) s; \
            \(report.sent) bytes sent (\(report.sent - loop.size) more than the file\(again == nil ? ", with TLS" : "")) \
            in \(report.puts) requests; \(again ?? "parts unseen"); evidence \(submission.evidence ?? "none"); \
            SHA-256 \(report.stored[path] == report.digest ? "equal" : "different"); \
            \(max(0, report.stored.count - 3) + report.uploads.count) files and folders left
            """
        print("torture: \(figures)")
        let comment = Comment(rawValue: figures)
        #expect(report.last?.end == .exited(0), "\(figures) \(String(describing: report.last))")
        // The file, its folders, and nothing else.
        #expect(report.stored == ["photos": "", DAVLoop.folder: "", path: report.digest], comment)
        #expect(report.uploads.isEmpty, comment)
        #expect(
            report.cleanup?.end == .exited(0) && report.cleanup?.lines == [], "\(String(describing: report.cleanup))")
        #expect(report.submissions.count == 1 && submission.state == "done", "\(submission)")
        #expect(server.evidence.contains(submission.evidence ?? ""), comment)
        #expect(submission.attempts.dropLast().allSatisfy { $0.outcome == "interrupted" }, "\(submission)")
        #expect(report.again?.allSatisfy { $0 <= server.width } ?? true, "\(figures) \(report.again ?? [])")
        if server.manner != .whole {
            let parts = Int((loop.size + loop.partSize - 1) / loop.partSize)
            #expect(report.puts <= parts + loop.kills * server.width, comment)
            // With TLS, its own bytes too.
            let most = Int64(loop.kills * server.width) * loop.partSize + loop.size / 100
            #expect(report.sent - loop.size <= most, comment)
        }
    }
}
