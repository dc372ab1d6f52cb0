import Foundation
import TestServers
import Testing

/// Sends one large file in parts, and kills `submit` again and again in the midst of it, until it has arrived.
struct PartsLoop {
    /// The server it goes to.
    enum Server: String, CaseIterable {
        case s3HTTP = "s3-http"
        case s3HTTPS = "s3-https"
        /// Swift's own API, with v1 authentication.
        case swift
        /// The same over TLS.
        case swiftHTTPS = "swift-https"
        /// The same, with a password of Keystone.
        case swiftKeystone = "swift-keystone"
        /// rclone's `serve s3`.
        case rclone = "s3-rclone"

        var isSwift: Bool { self == .swift || self == .swiftHTTPS || self == .swiftKeystone }

        /// The one that the environment names, or one for each protocol.
        static var wanted: [Server] {
            guard let name = ProcessInfo.processInfo.environment["SUBMIT_TORTURE_SERVER"] else {
                return [.s3HTTP, .swift]
            }
            return Server(rawValue: name).map { [$0] } ?? []
        }
    }

    var server: Server
    /// Of the file.
    var size: Int64
    var kills: Int
    var seed: UInt64
    /// `nil`: as `submit` chooses.
    var partSize: Int64?

    /// Parts at once.
    static let slots = 8

    /// What came of it.
    struct Report {
        /// Bytes of parts that went over the wire.
        var sent: Int64 = 0
        /// How many parts each resume sent that had been sent before, whole or not.
        var again: [Int] = []
        var digest = ""
        var stored = ""
        /// Names of the bucket's objects.
        var objects: [String] = []
        /// Parts and notes of uploads that the object does not need.
        var leftovers: [String] = []
        var submissions: [ListedSubmission] = []
        var last: Outcome?
        var seconds = 0.0
    }

    func run() async throws -> Report {
        if server == .rclone { return try await runAtRclone() }
        var report = Report()
        let store: any ObjectServer = server == .swiftKeystone ? try await KeystoneServer() : try await SwiftServer()
        let bucket = try await store.makeBucket()
        let proxy = CountingProxy(to: store.port)
        let front = server == .s3HTTPS || server == .swiftHTTPS ? try await TLSFront(to: proxy.port) : nil
        var environment = ["AWS_ENDPOINT_URL": front?.endpoint ?? proxy.endpoint]
        environment["CURL_CA_BUNDLE"] = front?.certificateAuthority
        if server.isSwift {
            environment["SUBMIT_OBJSTORE_API"] = "swift"
            let path = store.storageURL.dropFirst(store.endpoint.count)
            environment["SUBMIT_OBJSTORE_STORAGE_URL"] = (front?.endpoint ?? proxy.endpoint) + path
            environment.merge(Self.signIn(store)) { $1 }
        }
        environment.merge(inParts) { $1 }
        let submit = Submit(bucket, environment)
        let parts = try await send(by: submit, through: proxy, &report)
        report.objects = try await bucket.objects().map(\.name)
        report.stored = try await bucket.digest(of: "large.jpg")
        report.leftovers = try await leftovers(of: bucket, parts: parts)
        report.submissions = try await submit.list()
        await store.remove()
        return report
    }

    private var inParts: [String: String] {
        var environment = ["SUBMIT_OBJSTORE_JOBS": String(Self.slots)]
        environment["SUBMIT_OBJSTORE_PART_SIZE"] = partSize.map { "\($0 >> 20)MiB" }
        return environment
    }

    private func runAtRclone() async throws -> Report {
        var report = Report()
        let store = try await RcloneS3Server()
        let proxy = CountingProxy(to: store.port)
        let submit = Submit(
            [
                "S3_BUCKET": "photos", "AWS_ENDPOINT_URL": proxy.endpoint, "AWS_ACCESS_KEY_ID": store.accessKey,
                "AWS_SECRET_ACCESS_KEY": store.secretKey,
            ].merging(inParts) { $1 })
        _ = try await send(by: submit, through: proxy, &report)
        let files = try await FolderDigests.of(store.data + "/photos")
        report.objects = files.keys.filter { !$0.hasPrefix(".rclone_temp_") }.sorted()
        report.stored = files["large.jpg"] ?? ""
        // With 404 where there is none.
        let uploads = try await store.send("GET", "photos?uploads=", isChecked: false)
        report.leftovers =
            files.keys.filter { $0.hasPrefix(".rclone_temp_") }
            + uploads.matches(of: /<UploadId>([^<]+)</).map { String($0.1) }
        report.submissions = try await submit.list()
        await store.remove()
        return report
    }

    /// - Returns: how many parts there are.
    private func send(by submit: Submit, through proxy: CountingProxy, _ report: inout Report) async throws -> Int {
        let send = KilledSend(submit: submit, proxy: proxy, destination: "objstore")
        report.digest = try await send.make(size)
        var numbers = SeededNumbers(seed: seed)
        let moments = (0..<kills).map { _ in Int64.random(in: 1..<size, using: &numbers) }.sorted()
        let course = try await send.run(moments.map { .at($0) })
        var seen: Set<Int> = []
        for (number, puts) in course.puts.enumerated() {
            let parts = Set(puts.compactMap(\.part))
            if number > 0 { report.again.append(parts.intersection(seen).count) }
            seen.formUnion(parts)
        }
        (report.last, report.seconds) = (course.last, course.seconds)
        report.sent = proxy.bytes
        return seen.count
    }

    /// The variables of OpenStack's own tools.
    private static func signIn(_ store: any ObjectServer) -> [String: String] {
        switch store {
        case let swift as SwiftServer:
            ["ST_AUTH": swift.authURL, "ST_USER": swift.accessKey, "ST_KEY": swift.secretKey]
        case let keystone as KeystoneServer:
            [
                "OS_AUTH_URL": keystone.authURL, "OS_USERNAME": keystone.user, "OS_PASSWORD": keystone.password,
                "OS_USER_DOMAIN_NAME": keystone.domain, "OS_PROJECT_NAME": keystone.project,
                "OS_PROJECT_DOMAIN_NAME": keystone.domain, "OS_REGION_NAME": keystone.region,
            ]
        default: [:]
        }
    }

    /// s3api keeps a part as `key/upload/number`, and an open upload as `key/upload`. Segments are all of one folder.
    private func leftovers(of bucket: SwiftBucket, parts: Int) async throws -> [String] {
        if server.isSwift {
            let names = try await bucket.segments.objects().map(\.name)
            let folders = Dictionary(grouping: names) { $0.split(separator: "/").dropLast().joined(separator: "/") }
            return folders.values.filter { $0.count != parts }.flatMap(\.self) + (folders.count > 1 ? names : [])
        }
        let names = try await bucket.parts.objects().map(\.name)
        let uploads = Dictionary(grouping: names) { $0.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
        guard let whole = uploads.first(where: { $0.value.count == parts }) else { return names }
        return names.filter { $0.split(separator: "/").count != 3 || !whole.value.contains($0) }
    }
}

@Suite(.fewAtOnce) struct `A large file whose sender is killed` {
    @Test(arguments: PartsLoop.Server.wanted)
    func `again and again arrives whole, and each time no more is sent again than was under way`(
        server: PartsLoop.Server
    ) async throws {
        let environment = ProcessInfo.processInfo.environment
        let gibibytes = environment["SUBMIT_TORTURE_GIB"].flatMap(Int64.init)
        let loop = PartsLoop(
            server: server, size: gibibytes.map { $0 << 30 } ?? 64 << 20,
            kills: environment["SUBMIT_TORTURE_KILLS"].flatMap(Int.init) ?? 5,
            seed: environment["SUBMIT_TORTURE_SEED"].flatMap(UInt64.init) ?? .random(in: 0...999_999),
            partSize: gibibytes == nil ? 5 << 20 : nil)
        let report = try await loop.run()
        let figures = """
            \(server.rawValue), seed \(loop.seed): a file of \(loop.size) bytes, \(loop.kills) kills, \
            \(report.seconds) s; \(report.sent) bytes sent (\(report.sent - loop.size) more than the file); \
            at most \(report.again.max() ?? 0) parts sent again after a kill, with \(PartsLoop.slots) slots; \
            SHA-256 \(report.stored == report.digest ? "equal" : "different"); \
            \(report.leftovers.count) uploads and parts left
            """
        print("torture: \(figures)")
        let comment = Comment(rawValue: figures)
        #expect(report.last?.end == .exited(0), "\(figures) \(String(describing: report.last))")
        #expect(report.again.count == loop.kills && report.again.allSatisfy { $0 <= PartsLoop.slots }, comment)
        #expect(report.stored == report.digest && report.objects == ["large.jpg"], comment)
        #expect(report.leftovers.isEmpty, "\(report.leftovers.prefix(10))")
        let submission = try #require(report.submissions.first)
        #expect(report.submissions.count == 1 && submission.state == "done" && submission.evidence == "verified")
        #expect(submission.attempts.dropLast().allSatisfy { $0.outcome == "interrupted" }, "\(submission)")
    }
}
