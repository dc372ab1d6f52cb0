import Dispatch
import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitCurl

/// A media item on a disk that does not answer from some place on, until it is let.
final class SlowBytes: MediaBytes {
    let content: [UInt8]
    private let from: Int64
    private let answer = DispatchSemaphore(value: 0)
    private let hanging = Signal()

    var size: Int64 { Int64(content.count) }
    var fileDescriptor: CInt? { nil }

    init(_ count: Int, from: Int64) {
        content = MemoryBytes.varied(count)
        self.from = from
    }

    /// Returns when somebody waits for it.
    func hangs() async { _ = await hanging.wait() }

    func goOn() { answer.signal() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        if offset >= from {
            hanging.send()
            answer.wait()
            answer.signal()
        }
        return try MemoryBytes(content).read(into: buffer, at: offset)
    }

    func verifyUnchanged() throws(SubmitFailure) {}
}

@Suite struct `A source that hangs` {
    private func received() -> (Locked<[UInt8]?>, LoopbackServer) {
        let received = Locked<[UInt8]?>(nil)
        return (
            received,
            LoopbackServer.answering { request in
                if request.line.hasPrefix("PUT") { received.withLock { $0 = request.body } }
                return answer(200)
            }
        )
    }

    @Test(arguments: [0, 1 << 20] as [Int64])
    func `holds up no other request, and arrives whole when it answers`(from: Int64) async throws {
        let (received, server) = received()
        let (transport, bytes) = (try transport(), SlowBytes(3_000_001, from: from))
        async let slow = transport.send(
            HTTPRequest(method: "PUT", url: server.url, body: .media(bytes, 0..<bytes.size)))
        await bytes.hangs()
        #expect(try await transport.send(get(server.url)).status == 200)
        bytes.goOn()
        #expect(try await slow.status == 200)
        #expect(received.withLock { $0 } == bytes.content)
    }

    @Test func `is left when the request is cancelled`() async throws {
        let (_, server) = received()
        let (transport, bytes) = (try transport(), SlowBytes(3_000_001, from: 1 << 20))
        let slow = Task {
            try await transport.send(HTTPRequest(method: "PUT", url: server.url, body: .media(bytes, 0..<bytes.size)))
        }
        await bytes.hangs()
        slow.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await slow.value }
        bytes.goOn()
    }

    @Test func `leaves its thread alone, however many do`() async throws {
        let (received, server) = received()
        let (transport, hung) = (try transport(), (0..<64).map { _ in SlowBytes(300_000, from: 0) })
        try await withThrowingTaskGroup { group in
            for bytes in hung {
                group.addTask {
                    _ = try await transport.send(
                        HTTPRequest(method: "PUT", url: server.url, body: .media(bytes, 0..<bytes.size)))
                }
            }
            for bytes in hung { await bytes.hangs() }
            let other = MemoryBytes(MemoryBytes.varied(300_000))
            _ = try await transport.send(HTTPRequest(method: "PUT", url: server.url, body: .media(other, 0..<other.size)))
            #expect(received.withLock { $0 } == other.content)
            for bytes in hung { bytes.goOn() }
            try await group.waitForAll()
        }
    }
}
