import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import Testing

/// Servers that answer late or end the connection in the middle of a large body.
@Suite(.timeLimit(.minutes(1)))
struct LateAnswerTests {
    private func upload(_ server: LoopbackServer, count: Int) -> HTTPRequest {
        HTTPRequest(
            method: "PUT", url: server.url,
            body: .media(MemoryBytes(MemoryBytes.varied(count)), 0..<Int64(count)))
    }

    @Test func `an answer after the last byte may take longer than bytes on their way`() async throws {
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            usleep(2_500_000)
            connection.write(answer(201))
        }
        #expect(try await transport(stallTimeout: 1).send(upload(server, count: 1000)).status == 201)
    }

    @Test func `a step that assembles bytes gets time for them though it sends none`() async throws {
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            usleep(2_500_000)
            connection.write(answer(201))
        }
        var request = HTTPRequest(method: "MOVE", url: server.url)
        request.workload = 1 << 30
        #expect(try await transport(stallTimeout: 1).send(request).status == 201)
    }

    @Test(arguments: [(0, 300), (4 << 20, 301), (1 << 30, 556), (-1, 300)])
    func `the time for an answer grows with what the server received`(_ bytes: Int64, _ seconds: Int) {
        #expect(CurlConfiguration.answerTimeout(after: bytes, stallTimeout: 60) == seconds)
    }

    @Test func `a connection that ends in the middle of a body is noted with its offset`() async throws {
        let server = LoopbackServer { connection in
            guard connection.head() != nil else { return }
            connection.resetOnClose()
            _ = connection.read(8 << 20)
        }
        let watch = BodyWatch()
        await BodyWatch.$ofTask.withValue(watch) { _ = await failure(of: upload(server, count: 40 << 20)) }
        let offset = try #require(watch.cut)
        #expect(offset >= 8 << 20 && offset < 40 << 20)
    }

    @Test func `a connection that ends after the server agreed to the body is noted with its offset`() async throws {
        let server = LoopbackServer { connection in
            guard connection.head() != nil else { return }
            connection.resetOnClose()
            connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            _ = connection.read(8 << 20)
        }
        let watch = BodyWatch(asksFirst: true)
        await BodyWatch.$ofTask.withValue(watch) { _ = await failure(of: upload(server, count: 40 << 20)) }
        #expect(try #require(watch.cut) >= 8 << 20)
    }

    @Test func `an answer in the middle of a body is no cut`() async throws {
        let server = LoopbackServer { connection in
            guard connection.head() != nil else { return }
            connection.write(answer(503))
            _ = connection.read(40 << 20)
        }
        let watch = BodyWatch()
        let response = try await BodyWatch.$ofTask.withValue(watch) {
            try await transport().send(upload(server, count: 40 << 20))
        }
        #expect(response.status == 503 && watch.cut == nil)
    }

    @Test func `a large body is announced after cuts, so that a refusal is read before it is sent`() async throws {
        let heads = Locked<[String]>([])
        let server = LoopbackServer { connection in
            guard let head = connection.head() else { return }
            heads.withLock { $0.append(head) }
            connection.write(answer(413, ["Connection: close"]))
        }
        let sent = Locked<Int64>(0)
        var request = upload(server, count: 40 << 20)
        request.sent = { bytes in sent.withLock { $0 = bytes } }
        let response = try await BodyWatch.$ofTask.withValue(BodyWatch(asksFirst: true)) {
            try await transport().send(request)
        }
        #expect(response.status == 413 && sent.withLock { $0 } == 0)
        #expect(heads.withLock { $0 }.allSatisfy { $0.contains("Expect: 100-continue\r\n") })
    }

    @Test func `a server that ends the connection when a body is announced is noted as a cut at its start`()
        async throws
    {
        let server = LoopbackServer { connection in
            guard connection.head() != nil else { return }
            connection.resetOnClose()
        }
        let watch = BodyWatch(asksFirst: true)
        await BodyWatch.$ofTask.withValue(watch) { _ = await failure(of: upload(server, count: 40 << 20)) }
        #expect(watch.cut == 0)
    }
}
