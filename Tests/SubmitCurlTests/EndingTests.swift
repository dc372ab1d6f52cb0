import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import Testing

@Suite
struct EndingTests {
    @Test func `cancelling an upload ends it at once and closes its connection`() async throws {
        let started = Signal()
        let closed = Signal()
        let server = LoopbackServer { connection in
            guard connection.head() != nil, connection.read(100_000) != nil else { return }
            started.send()
            closed.send(connection.readToEnd())
        }
        let transport = try transport()
        let size = Int64(1) << 40
        let task = Task {
            try await transport.send(
                HTTPRequest(method: "PUT", url: server.url, body: .media(EndlessBytes(size: size), 0..<size)))
        }
        _ = await started.wait()
        task.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await task.value }
        // The transport lives on, so that it is the cancelled request that closed the connection.
        _ = await closed.wait()
        withExtendedLifetime(transport) {}
    }

    /// Else the system goes on sending what it took of the body, and a whole file may arrive after all.
    @Test func `cancelling an upload drops what was not sent yet`() async throws {
        let started = Signal()
        let closed = Signal()
        let server = LoopbackServer { connection in
            guard connection.head() != nil, connection.read(100_000) != nil else { return }
            started.send()
            closed.send(connection.isResetAtTheEnd() ? 1 : 0)
        }
        let transport = try transport()
        let size = Int64(1) << 40
        let task = Task {
            try await transport.send(
                HTTPRequest(method: "PUT", url: server.url, body: .media(EndlessBytes(size: size), 0..<size)))
        }
        _ = await started.wait()
        task.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await task.value }
        #expect(await closed.wait() == 1)
        withExtendedLifetime(transport) {}
    }

    @Test func `cancelling ends a request that waits for its answer`() async throws {
        let started = Signal()
        let closed = Signal()
        let server = LoopbackServer { connection in
            _ = connection.request()
            started.send()
            closed.send(connection.readToEnd())
        }
        let transport = try transport()
        let task = Task { try await transport.send(get(server.url)) }
        _ = await started.wait()
        task.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await task.value }
        _ = await closed.wait()
        withExtendedLifetime(transport) {}
    }

    @Test func `a cancelled task sends nothing`() async throws {
        let server = LoopbackServer.answering { _ in answer(200) }
        let transport = try transport()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(get(server.url))
        }
        await #expect(throws: HTTPFailure.cancelled) { try await task.value }
        #expect(server.connections == 0)
    }

    @Test func `cancelling some of many loses none of the others`() async throws {
        let server = LoopbackServer.answering { answer(200, [], $0.line) }
        let transport = try transport()
        let counts = await withTaskGroup(of: (answered: Int, cancelled: Int).self) { group in
            for number in 0..<400 {
                group.addTask {
                    let task = Task { try await transport.send(get(server.url + "/\(number)")) }
                    if number % 3 == 0 { task.cancel() }
                    switch await task.result {
                    case .success(let response):
                        #expect(response.body == Array("GET /\(number) HTTP/1.1".utf8))
                        return (1, 0)
                    case .failure(let failure):
                        #expect(failure as? HTTPFailure == .cancelled && number % 3 == 0)
                        return (0, 1)
                    }
                }
            }
            return await group.reduce((0, 0)) { ($0.0 + $1.answered, $0.1 + $1.cancelled) }
        }
        #expect(counts.0 + counts.1 == 400)
        #expect(counts.0 >= 266)
    }

    @Test func `closing the transport cancels what is under way and all that follows`() async throws {
        let started = Signal()
        let closed = Signal()
        let server = LoopbackServer { connection in
            _ = connection.request()
            started.send()
            closed.send(connection.readToEnd())
        }
        let transport = try transport()
        let task = Task { try await transport.send(get(server.url)) }
        _ = await started.wait()
        transport.close()
        await #expect(throws: HTTPFailure.cancelled) { try await task.value }
        await #expect(throws: HTTPFailure.cancelled) { try await transport.send(get(server.url)) }
        _ = await closed.wait()
        transport.close()
    }

    @Test func `letting go of the transport closes its connections`() async throws {
        let closed = Signal()
        let server = LoopbackServer { connection in
            while connection.request() != nil { connection.write(answer(200)) }
            closed.send()
        }
        #expect(try await transport().send(get(server.url)).status == 200)
        _ = await closed.wait()
    }

    @Test func `a source that fails in the middle never makes a whole request`() async throws {
        let whole = Signal()
        let server = LoopbackServer { connection in whole.send(connection.request() == nil ? 0 : 1) }
        let bytes = MemoryBytes([UInt8](repeating: 1, count: 1 << 20), failsAt: 500_000)
        let request = HTTPRequest(method: "PUT", url: server.url, body: .media(bytes, 0..<1 << 20))
        #expect(await failure(of: request) == .body(MemoryBytes.failure))
        #expect(await whole.wait() == 0)
    }

    /// Small ones are read before anything is sent.
    @Test(arguments: [1000, 400_000])
    func `a source that fails on its last byte never makes a whole request`(count: Int) async throws {
        let whole = Signal()
        let server = LoopbackServer { connection in whole.send(connection.request() == nil ? 0 : 1) }
        let bytes = MemoryBytes([UInt8](repeating: 1, count: count), failsAt: Int64(count) - 1)
        let request = HTTPRequest(method: "PUT", url: server.url, body: .media(bytes, 0..<bytes.size))
        #expect(await failure(of: request) == .body(MemoryBytes.failure))
        if count > 256 << 10 { #expect(await whole.wait() == 0) } else { #expect(server.connections == 0) }
    }

    /// The same.
    @Test(arguments: [200_000, 400_000])
    func `a source that ends early never makes a whole request`(count: Int) async throws {
        let whole = Signal()
        let server = LoopbackServer { connection in whole.send(connection.request() == nil ? 0 : 1) }
        let bytes = MemoryBytes([UInt8](repeating: 1, count: count), size: Int64(count) + 1)
        let failure = await failure(
            of: HTTPRequest(method: "PUT", url: server.url, body: .media(bytes, 0..<bytes.size)))
        guard case .body(let source) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(source.code == "source-short")
        #expect(source.remedy == .retry(after: nil))
        if count > 256 << 10 { #expect(await whole.wait() == 0) } else { #expect(server.connections == 0) }
    }

    /// The server answers the first request of a connection and hangs up on the second one.
    private static func server(seen: Locked<[String]>) -> LoopbackServer {
        LoopbackServer { connection in
            guard let first = connection.request() else { return }
            seen.withLock { $0.append(first.line) }
            connection.write(answer(200))
            guard let second = connection.request() else { return }
            seen.withLock { $0.append(second.line) }
        }
    }

    @Test func `a PUT on a connection that dies is sent once more by libcurl, from its first byte`() async throws {
        let bodies = Locked<[[UInt8]]>([])
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            connection.write(answer(200))
            if let second = connection.request() { bodies.withLock { $0.append(second.body) } }
        }
        // A connection's first request is answered: the repeated PUT comes as the first of a new one.
        let transport = try transport()
        _ = try await transport.send(get(server.url))
        let content = MemoryBytes.varied(200_000)
        let response = try await transport.send(HTTPRequest(method: "PUT", url: server.url, body: .bytes(content)))
        #expect(response.status == 200)
        #expect(bodies.withLock { $0 } == [content])
        #expect(server.connections == 2)
    }

    @Test(arguments: [HTTPBody.none, .bytes([]), .bytes([1, 2, 3])], ["POST", "PATCH", "LOCK", "PUT", "MOVE"])
    func `what must not be repeated is sent once`(body: HTTPBody, method: String) async throws {
        let seen = Locked<[String]>([])
        let server = Self.server(seen: seen)
        let transport = try transport()
        _ = try await transport.send(get(server.url))
        let result = await Task {
            var request = HTTPRequest(method: method, url: server.url, body: body)
            // Those that may be sent twice have to be told.
            request.isSentOnce = ["PUT", "MOVE"].contains(method)
            return try await transport.send(request)
        }.result
        guard case .failure(HTTPFailure.broken(_, afterBody: true)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(seen.withLock { $0 } == ["GET / HTTP/1.1", "\(method) / HTTP/1.1"])
    }
}

/// Zeros.
struct EndlessBytes: MediaBytes {
    var size: Int64

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        _ = buffer.initializeMemory(as: UInt8.self, repeating: 0)
        return buffer.count
    }

    func verifyUnchanged() throws(SubmitFailure) {}

    var fileDescriptor: CInt? { nil }
}
