import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import Testing

func transport(stallTimeout: Int = 20, proxy: String? = "") throws -> CurlTransport {
    try CurlTransport(CurlConfiguration(userAgent: "submit/test", stallTimeout: stallTimeout, proxy: proxy))
}

func get(_ url: String) -> HTTPRequest { HTTPRequest(method: "GET", url: url) }

@Suite
struct SendingTests {
    static let sizes = [0, 1, 65_535, 65_536, 65_537, 5 << 20]

    @Test(arguments: sizes)
    func `a media item arrives byte for byte`(size: Int) async throws {
        let received = Locked<[Received]>([])
        let server = LoopbackServer.answering { request in
            received.withLock { $0.append(request) }
            return answer(201, ["ETag: \"x\""])
        }
        let content = MemoryBytes.varied(size)
        let sent = Locked<[Int64]>([])
        let response = try await transport().send(
            HTTPRequest(
                method: "PUT", url: server.url + "/a", body: .media(MemoryBytes(content), 0..<Int64(size)),
                sent: { bytes in sent.withLock { $0.append(bytes) } }))
        let request = try #require(received.withLock { $0 }.first)
        #expect(response.status == 201)
        #expect(response["etag"] == "\"x\"")
        #expect(request.line == "PUT /a HTTP/1.1")
        #expect(request["Content-Length"] == "\(size)")
        #expect(request.body == content)
        #expect(request["Expect"] == nil)
        #expect(request["Accept"] == nil)
        #expect(request["User-Agent"] == "submit/test")
        #expect(sent.withLock { $0.last } ?? 0 == Int64(size))
        #expect(sent.withLock { $0 == $0.sorted() })
    }

    @Test(arguments: sizes)
    func `bytes in memory arrive byte for byte`(size: Int) async throws {
        let received = Locked<[UInt8]?>(nil)
        let server = LoopbackServer.answering { request in
            received.withLock { $0 = request.body }
            return answer(200)
        }
        let content = MemoryBytes.varied(size)
        _ = try await transport().send(HTTPRequest(method: "POST", url: server.url, body: .bytes(content)))
        #expect(received.withLock { $0 } == content)
    }

    @Test func `many requests at once leave their connections to the next ones`() async throws {
        let many = 100
        let arrived = Locked(0)
        let gate = DispatchSemaphore(value: 0)
        let server = LoopbackServer.answering { _ in
            let isLast = arrived.withLock { arrived in
                arrived += 1
                return arrived % many == 0
            }
            if isLast { for _ in 0..<many { gate.signal() } }
            gate.wait()
            return answer(200)
        }
        let transport = try transport()
        for _ in 0..<2 {
            try await withThrowingTaskGroup { group in
                for _ in 0..<many { group.addTask { _ = try await transport.send(get(server.url)) } }
                try await group.waitForAll()
            }
        }
        #expect(server.connections == many)
    }

    @Test func `only the range asked for is sent`() async throws {
        let received = Locked<[UInt8]>([])
        let server = LoopbackServer.answering { request in
            received.withLock { $0 = request.body }
            return answer(200)
        }
        let content = MemoryBytes.varied(300_000)
        _ = try await transport().send(
            HTTPRequest(method: "PUT", url: server.url, body: .media(MemoryBytes(content), 70_001..<200_002)))
        #expect(received.withLock { $0 } == Array(content[70_001..<200_002]))
    }

    @Test func `joined pieces arrive byte for byte, with their length`() async throws {
        let received = Locked<Received?>(nil)
        let server = LoopbackServer.answering { request in
            received.withLock { $0 = request }
            return answer(200)
        }
        let content = MemoryBytes.varied(3_000_001)
        let media = MemoryBytes(content)
        let body = HTTPBody.pieces([
            .text("<entry>"), .base64(media, 0..<3_000_001), .text("</entry>"), .media(media, 100_000..<1_000_000),
        ])
        _ = try await transport().send(HTTPRequest(method: "POST", url: server.url, body: body))
        let request = try #require(received.withLock { $0 })
        let text = "<entry>\(Data(content).base64EncodedString())</entry>"
        #expect(request["Content-Length"] == "\(text.utf8.count + 900_000)")
        #expect(request["Transfer-Encoding"] == nil)
        #expect(request.body == Array(text.utf8) + content[100_000..<1_000_000])
    }

    @Test func `joined pieces are sent again from their start when a connection was dead`() async throws {
        let received = Locked<[UInt8]?>(nil)
        let server = LoopbackServer { connection in
            // The first connection answers once, and ends under the second request.
            while let request = connection.request() {
                if connection.number == 1, request.line.contains("/first") {
                    connection.write(answer(200))
                    _ = connection.request()
                    return
                }
                received.withLock { $0 = request.body }
                connection.write(answer(200))
            }
        }
        let transport = try transport()
        _ = try await transport.send(get(server.url + "/first"))
        let content = MemoryBytes.varied(10_000)
        let body = HTTPBody.pieces([.text("a"), .base64(MemoryBytes(content), 0..<10_000)])
        let response = try await transport.send(HTTPRequest(method: "PUT", url: server.url + "/second", body: body))
        #expect(response.status == 200)
        #expect(received.withLock { $0 } == Array("a\(Data(content).base64EncodedString())".utf8))
    }

    @Test func `a multipart form arrives as it was made`() async throws {
        let received = Locked<Received?>(nil)
        let server = LoopbackServer.answering { request in
            received.withLock { $0 = request }
            return answer(201)
        }
        let content = MemoryBytes.varied(400_000)
        let form = try MultipartForm([
            .init("title", .text("写真")),
            .init("file", filename: "é.jpg", type: "image/jpeg", .media(MemoryBytes(content), 0..<400_000)),
        ])
        _ = try await transport().send(
            HTTPRequest(
                method: "POST", url: server.url, headers: [("Content-Type", form.contentType)], body: form.body))
        let request = try #require(received.withLock { $0 })
        #expect(request["Content-Type"] == form.contentType)
        #expect(request["Content-Length"] == "\(form.body.length!)")
        #expect(request.body == (try form.body.contents()))
    }

    @Test func `joined pieces whose file ends early end the request`() async throws {
        let server = LoopbackServer.answering { _ in answer(200) }
        let media = MemoryBytes(MemoryBytes.varied(1000), size: 500_000)
        await #expect(throws: HTTPFailure.self) {
            try await transport().send(
                HTTPRequest(method: "POST", url: server.url, body: .pieces([.text("a"), .base64(media, 0..<500_000)])))
        }
    }

    @Test(arguments: [
        "/a%2fb%2Fc", "/a/../b/./c//d", "/?x=%20a+b&y='", "/~!$&'()*+,;=:@", "/a?b?c/d", "/%e5%86%99%E7%9C%9F.jpg",
        "/a%00b", "/?", "/a%",
    ])
    func `the URL is sent as it is`(path: String) async throws {
        let server = LoopbackServer.answering { answer(200, ["X-Line: " + $0.line]) }
        let response = try await transport().send(get(server.url + path))
        #expect(response["x-line"] == "GET \(path) HTTP/1.1")
    }

    @Test func `headers are sent as given, empty ones too`() async throws {
        let received = Locked<String>("")
        let server = LoopbackServer.answering { request in
            received.withLock { $0 = request.head }
            return answer(200)
        }
        _ = try await transport().send(
            HTTPRequest(
                method: "PROPFIND", url: server.url,
                headers: [("X-Empty", ""), ("x-name", "写真; a"), ("User-Agent", "mine"), ("Accept", "text/xml")]))
        let expected = [
            "PROPFIND / HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "X-Empty:", "x-name: 写真; a", "User-Agent: mine",
            "Accept: text/xml",
        ]
        #expect(received.withLock { $0.split(separator: "\r\n").map(String.init).sorted() } == expected.sorted())
    }

    @Test(arguments: [("POST", "0"), ("PUT", "0"), ("GET", nil), ("MKCOL", nil), ("DELETE", nil)])
    func `a request without a body announces one only where the method is about it`(
        method: String, length: String?
    ) async throws {
        let server = LoopbackServer.answering { answer(200, ["X-Length: " + ($0["Content-Length"] ?? "none")], "ok") }
        let response = try await transport().send(HTTPRequest(method: method, url: server.url))
        #expect(response["X-Length"] == length ?? "none")
        #expect(response.body == Array("ok".utf8))
    }

    @Test func `HEAD waits for no body`() async throws {
        let server = LoopbackServer { connection in
            while connection.head() != nil { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n") }
        }
        let transport = try transport()
        for _ in 0..<2 {
            let response = try await transport.send(HTTPRequest(method: "HEAD", url: server.url))
            #expect(response["content-length"] == "5000")
            #expect(response.body == [])
        }
        #expect(server.connections == 1)
    }

    @Test(arguments: [(10_000, 1), (200_000, 1), (256 << 10, 1), (1 << 20, 4)])
    func `a body is handed over in few pieces`(size: Int, pieces: Int) async throws {
        let server = LoopbackServer.answering { _ in answer(200) }
        let sent = Locked(0)
        _ = try await transport().send(
            HTTPRequest(
                method: "PUT", url: server.url, body: .bytes(MemoryBytes.varied(size)),
                sent: { _ in sent.withLock { $0 += 1 } }))
        #expect(sent.withLock { $0 } == pieces)
    }

    @Test func `a connection is used again`() async throws {
        let server = LoopbackServer.answering { _ in answer(204) }
        let transport = try transport()
        for _ in 0..<20 {
            _ = try await transport.send(
                HTTPRequest(method: "PUT", url: server.url, body: .bytes(MemoryBytes.varied(100_000))))
        }
        #expect(server.connections == 1)
    }

    @Test func `200 requests run at once`() async throws {
        let arrived = Locked(0)
        let all = DispatchSemaphore(value: 0)
        let server = LoopbackServer { connection in
            guard let request = connection.request() else { return }
            let isLast = arrived.withLock {
                $0 += 1
                return $0 == 200
            }
            // No answer before all are here.
            if isLast { for _ in 0..<200 { all.signal() } }
            all.wait()
            connection.write(answer(200, ["X-Sum: \(request.body.reduce(0) { $0 + Int($1) })"]))
        }
        let transport = try transport()
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    let content = [UInt8](repeating: UInt8(number), count: 10_000 + number)
                    let response = try await transport.send(
                        HTTPRequest(method: "PUT", url: server.url, body: .bytes(content)))
                    #expect(response["X-Sum"] == "\(number * (10_000 + number))")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: ["a\r\nX: y", "a\nb", "a\rb", "a\0b"])
    func `a header that would break out of its line is refused`(value: String) async throws {
        let server = LoopbackServer.answering { _ in answer(200) }
        let request = HTTPRequest(method: "GET", url: server.url, headers: [("X-Title", value)])
        await #expect(throws: HTTPFailure.badRequest("The value of the header “X-Title” has a line break or a NUL")) {
            try await transport().send(request)
        }
        #expect(server.connections == 0)
    }

    @Test(arguments: ["", "a b", "a:", "a\r\nb", "é", "Content-Length", "host", "transfer-encoding"])
    func `a header's name that is none, or not the caller's to set, is refused`(name: String) async throws {
        let server = LoopbackServer.answering { _ in answer(200) }
        await expectBadRequest(HTTPRequest(method: "GET", url: server.url, headers: [(name, "1")]))
        #expect(server.connections == 0)
    }

    @Test(arguments: [
        "", "/a", "127.0.0.1", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http:///a",
        "http://u:p@127.0.0.1/",
        "http://127.0.0.1/a b", "http://127.0.0.1/é", "http://127.0.0.1/#f", "http://127.0.0.1/\r\nX: y",
        "http://127.0.0.1:99999/",
    ])
    func `a URL that cannot be sent as it is is refused`(url: String) async throws {
        await expectBadRequest(get(url))
    }

    private func expectBadRequest(_ request: HTTPRequest) async {
        let failure = await failure(of: request)
        guard case .badRequest = failure else {
            Issue.record("not refused: \(String(describing: failure))")
            return
        }
    }
}

/// How a request ends that must not succeed.
func failure(of request: HTTPRequest, stallTimeout: Int = 20, proxy: String? = "") async -> HTTPFailure? {
    do {
        let response = try await transport(stallTimeout: stallTimeout, proxy: proxy).send(request)
        Issue.record("answered \(response.status)")
        return nil
    } catch {
        return error as? HTTPFailure
    }
}
