import Foundation
import Submit
import SubmitCurl
import SubmitHTTP
import Testing

@Suite
struct BrokenAnswerTests {
    static let large = HTTPBody.bytes(MemoryBytes.varied(5 << 20))

    @Test func `interim answers are passed over`() async throws {
        let server = LoopbackServer.answering { _ in
            "HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-Interim: 2\r\n\r\n"
                + answer(201, ["X-Final: 3"])
        }
        let response = try await transport().send(HTTPRequest(method: "PUT", url: server.url, body: .bytes([1, 2])))
        #expect(response.status == 201)
        #expect(response.headers.map(\.name) == ["X-Final", "Content-Length"])
    }

    @Test func `with Expect the body waits for the word to go on`() async throws {
        let server = LoopbackServer { connection in
            guard let head = connection.head(), head.contains("Expect: 100-continue") else { return }
            connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            if connection.read(70_000) != nil { connection.write(answer(200)) }
        }
        let response = try await transport().send(
            HTTPRequest(
                method: "POST", url: server.url, headers: [("Expect", "100-continue")],
                body: .bytes(MemoryBytes.varied(70_000))))
        #expect(response.status == 200)
    }

    @Test func `a refusal in the middle of the body is the answer`() async throws {
        let server = LoopbackServer { connection in
            guard connection.head() != nil, connection.read(10_000) != nil else { return }
            connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig")
            connection.readToEnd()
        }
        let response = try await transport().send(HTTPRequest(method: "PUT", url: server.url, body: Self.large))
        #expect(response.status == 413)
        #expect(response.body == Array("big".utf8))
    }

    @Test func `a refusal counts when the connection is reset behind its head`() async throws {
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 507 Full\r\nContent-Length: 100\r\n\r\nfu")
        }
        let response = try await transport().send(HTTPRequest(method: "PUT", url: server.url, body: .bytes([1])))
        #expect(response.status == 507)
    }

    @Test func `a success counts only when it is complete`() async throws {
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfu")
        }
        guard case .broken(_, afterBody: true) = await failure(of: get(server.url)) else {
            Issue.record("half an answer passed")
            return
        }
    }

    @Test func `a reset in the middle of the body is a break before its end`() async throws {
        let server = LoopbackServer { connection in
            guard connection.head() != nil, connection.read(10_000) != nil else { return }
            connection.resetOnClose()
        }
        let failure = await failure(of: HTTPRequest(method: "PUT", url: server.url, body: Self.large))
        guard case .broken(_, afterBody: false) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test(arguments: ["PUT", "POST"])
    func `silence and a close after the body is a break after its end`(method: String) async throws {
        let server = LoopbackServer { _ = $0.request() }
        let failure = await failure(
            of: HTTPRequest(method: method, url: server.url, body: .bytes(MemoryBytes.varied(1000))))
        guard case .broken(_, afterBody: true) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(server.connections == 1)
    }

    @Test func `a server that takes the body and never answers is a stall`() async throws {
        let server = LoopbackServer { $0.readToEnd() }
        let request = HTTPRequest(method: "PUT", url: server.url, body: .bytes(MemoryBytes.varied(1000)))
        #expect(await failure(of: request, stallTimeout: 1) == .stalled(afterBody: true))
    }

    @Test func `a server that stops reading is a stall before the body's end`() async throws {
        let over = DispatchSemaphore(value: 0)
        let server = LoopbackServer { connection in
            _ = connection.read(1000)
            over.wait()
        }
        let request = HTTPRequest(method: "PUT", url: server.url, body: .bytes([UInt8](repeating: 1, count: 40 << 20)))
        #expect(await failure(of: request, stallTimeout: 1) == .stalled(afterBody: false))
        over.signal()
    }

    // It takes longer than the stall timeout as a whole, and far less from piece to piece.
    @Test func `a server that reads slowly is no stall`() async throws {
        let server = LoopbackServer { connection in
            guard connection.head() != nil else { return }
            for _ in 0..<16 {
                usleep(250_000)
                guard connection.read(2_500_000) != nil else { return }
            }
            connection.write(answer(200))
        }
        let body = HTTPBody.bytes([UInt8](repeating: 1, count: 40_000_000))
        let request = HTTPRequest(method: "PUT", url: server.url, body: body)
        #expect(try await transport(stallTimeout: 3).send(request).status == 200)
    }

    // It takes longer than the stall timeout as a whole, and far less from piece to piece.
    @Test func `a slow answer is no stall`() async throws {
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 16000\r\n\r\n")
            for _ in 0..<16 {
                usleep(250_000)
                connection.write(String(repeating: "x", count: 1000))
            }
        }
        let response = try await transport(stallTimeout: 3).send(get(server.url))
        #expect(response.body.count == 16_000)
    }

    @Test func `an answer without a length ends with the connection`() async throws {
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n\r\nall of it")
        }
        #expect(try await transport().send(get(server.url)).body == Array("all of it".utf8))
    }

    @Test func `trailers are not headers`() async throws {
        let server = LoopbackServer { connection in
            while connection.request() != nil {
                connection.write(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Late: 1\r\n\r\n")
            }
        }
        let response = try await transport().send(get(server.url))
        #expect(response.body == Array("abc".utf8))
        #expect(response["X-Late"] == nil)
    }

    @Test(arguments: [
        "garbage without a status line\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\0\0\0\0", "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
    ])
    func `what is not HTTP is a bad answer`(text: String) async throws {
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            connection.write(text)
        }
        await expectBadAnswer(get(server.url))
    }

    @Test(arguments: [1, 20_000])
    func `headers without end are a bad answer`(count: Int) async throws {
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n")
            let header = "X-Fill: " + String(repeating: "a", count: 400_000 / count) + "\r\n"
            for _ in 0..<count { connection.write(header) }
            connection.readToEnd()
        }
        await expectBadAnswer(get(server.url))
    }

    @Test(arguments: [(1000, true), (1001, false)])
    func `a body is taken up to the limit`(size: Int, isTaken: Bool) async throws {
        let server = LoopbackServer.answering { _ in answer(200, [], String(repeating: "a", count: size)) }
        var request = get(server.url)
        request.responseLimit = 1000
        if isTaken {
            #expect(try await transport().send(request).body.count == size)
        } else {
            #expect(await failure(of: request) == .badAnswer("The answer is larger than 1000 bytes"))
        }
    }

    @Test func `an endless body ends at the limit`() async throws {
        let ended = Signal()
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            while connection.write(String(repeating: "a", count: 65536)) {}
            ended.send()
        }
        await expectBadAnswer(get(server.url))
        _ = await ended.wait()
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is handed back, not followed`(status: Int) async throws {
        let server = LoopbackServer.answering { _ in answer(status, ["Location: /elsewhere"]) }
        let transport = try transport()
        let response = try await transport.send(get(server.url))
        #expect(response.status == status)
        #expect(response["location"] == "/elsewhere")
        let upload = HTTPRequest(method: "PUT", url: server.url, body: .bytes([1]))
        #expect(try await transport.send(upload).status == status)
    }

    private func expectBadAnswer(_ request: HTTPRequest) async {
        let failure = await failure(of: request)
        guard case .badAnswer = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }
}
