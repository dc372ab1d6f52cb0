import Foundation
import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitHTTP
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitNotifications

/// What is told is told once, whoever is killed meanwhile.
@Suite struct NewsTests {
    /// Hears news, or does not.
    private final class Listener: NewsChannel {
        let name = "listener"
        let heard = Locked<[News]>([])
        let isDeaf = Locked(false)

        func tell(_ news: News) async throws(SubmitFailure) {
            if isDeaf.withLock({ $0 }) { throw SubmitFailure(.retry(after: nil), code: "deaf", message: "Deaf: wait.") }
            heard.withLock { $0.append(news) }
        }
    }

    /// A journal, a destination, a clock that is set, and who hears.
    private final class Room {
        let folder = FilePath(NSTemporaryDirectory()).appending("submit-news-\(UUID().uuidString)")
        let manager: SubmitManager
        let place = InMemoryPlace()
        let listener = Listener()
        let time = Locked(Timestamp.now)

        init() throws {
            try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
            manager = SubmitManager(
                store: try Journal(path: folder.appending("submit").appending("journal.sqlite")).store,
                registry: try SubmitterRegistry([]))
            manager.add(
                Destination(
                    name: "a", type: InMemorySubmitter.submitterType(place: place), submitter: InMemorySubmitter(place))
            )
        }

        deinit { try? FileManager.default.removeItem(atPath: folder.string) }

        /// Another one each time, as in another process.
        func work(_ seconds: Int = 0) async throws {
            time.withLock { $0 = $0.advanced(by: .seconds(seconds)) }
            try await NewsDesk(
                manager, locksIn: folder, channels: [listener], kinds: Set(News.Kind.allCases),
                clock: { [time] in time.withLock { $0 } }
            ).work()
        }

        var messages: [String] { listener.heard.withLock { $0.map(\.message) } }
        var kinds: [String] { listener.heard.withLock { $0.map { $0.kind.rawValue + ($0.isOver ? " over" : "") } } }

        func send(_ count: Int) async throws {
            for _ in 0..<count {
                let path = folder.appending("\(UUID().uuidString).jpg").string
                try Data([0xff, 0xd8, 0xff, 0xe0] + (0..<100).map { _ in UInt8.random(in: 0...255) }).write(
                    to: URL(fileURLWithPath: path))
                let batch = try await manager.accept(SubmitRequest(paths: [FilePath(path)], destinations: ["a"])).batch
                try await manager.start([batch]).finish(patience: .zero)
            }
        }
    }

    @Test func `batches that end soon one after the other are one piece of news, once`() async throws {
        let room = try Room()
        try await room.send(1)
        try await room.work()
        // What was before anybody listened is none.
        try await room.work(100)
        #expect(room.messages.isEmpty)
        try await room.send(2)
        try await room.work(1)
        #expect(room.messages.isEmpty, "more may end")
        try await room.work(40)
        #expect(room.messages.count == 1 && room.messages[0].contains("a: 2 done"), "\(room.messages)")
        for _ in 0..<3 { try await room.work(4000) }
        #expect(room.messages.count == 1)
    }

    @Test func `a destination on hold is told of after an hour, once, and when it is over`() async throws {
        let room = try Room()
        try await room.work()
        room.place.outage = SubmitFailure(
            .hold(.unreachable, after: .milliseconds(1)), code: "down", message: "It is down: wait.")
        try await room.send(1)
        for _ in 0..<50 { try await room.work(70) }
        #expect(room.kinds.isEmpty, "\(room.messages)")
        for _ in 0..<20 { try await room.work(70) }
        #expect(room.kinds == ["on-hold"], "\(room.messages)")
        room.place.outage = nil
        try await room.manager.lookAgain(at: ["a"])
        let batches = try await room.manager.records.unfinishedBatches()
        try await room.manager.start(batches).finish(patience: .zero)
        for _ in 0..<5 { try await room.work(70) }
        #expect(room.kinds.prefix(2) == ["on-hold", "on-hold over"], "\(room.kinds)")
        #expect(Set(room.listener.heard.withLock { $0.map(\.id) }).count == room.kinds.count)
    }

    @Test func `who does not listen is told later, and who never does is given up`() async throws {
        let room = try Room()
        try await room.work()
        room.listener.isDeaf.withLock { $0 = true }
        try await room.send(1)
        for _ in 0..<5 { try await room.work(40) }
        room.listener.isDeaf.withLock { $0 = false }
        for _ in 0..<3 { try await room.work(4000) }
        #expect(room.kinds == ["batch-done"])
        room.listener.isDeaf.withLock { $0 = true }
        try await room.send(1)
        for _ in 0..<100 { try await room.work(4000) }
        room.listener.isDeaf.withLock { $0 = false }
        try await room.work(4000)
        #expect(room.kinds == ["batch-done"])
    }

    @Test func `several at once tell it once`() async throws {
        let room = try Room()
        try await room.work()
        try await room.send(1)
        try await room.work()
        nonisolated(unsafe) let shared = room
        room.time.withLock { $0 = $0.advanced(by: .seconds(60)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await shared.work() } }
            try await group.waitForAll()
        }
        #expect(room.kinds == ["batch-done"])
    }

    @Test func `a webhook is signed as Standard Webhooks says`() async throws {
        let transport = Recorder()
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let channel = WebhookChannel(
            url: "https://hooks.example/in", secret: { () throws(SubmitFailure) in secret }, transport: transport)
        try await channel.tell(News(.batchDone, id: "n-1", "Batch 1: “ok”."))
        let request = try #require(transport.requests.withLock { $0.first })
        func header(_ name: String) -> String { request.headers.first { $0.name == name }?.value ?? "" }
        guard case .bytes(let body) = request.body else { throw SubmitFailure.cancelled }
        let seconds = try #require(Int64(header("webhook-timestamp")))
        #expect(
            header("webhook-signature")
                == WebhookChannel.signature(of: body, id: "n-1", seconds: seconds, secret))
        // The example of the specification's own libraries.
        #expect(
            WebhookChannel.signature(
                of: Array(#"{"test": 2432232314}"#.utf8), id: "msg_p5jXN8AQM9LWM0D4loKWxJek", seconds: 1_614_265_330,
                secret)
                == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(header("webhook-id") == "n-1" && abs(seconds - Timestamp.now.seconds) < 60)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        #expect(object["event"] as? String == "batch-done" && object["message"] as? String == "Batch 1: “ok”.")
        for (status, remedy) in [(500, Remedy.retry(after: nil)), (410, .giveUp)] {
            transport.status.withLock { $0 = status }
            await #expect(throws: SubmitFailure.self) { try await channel.tell(News(.loss, id: "n-2", "x")) }
            do { try await channel.tell(News(.loss, id: "n-2", "x")) } catch { #expect(error.remedy == remedy) }
        }
    }

    private final class Recorder: HTTPTransport {
        let requests = Locked<[HTTPRequest]>([])
        let status = Locked(204)

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            requests.withLock { $0.append(request) }
            return HTTPResponse(status: status.withLock { $0 }, headers: [], body: [])
        }
    }
}
