import Foundation
import Glibc
import Submit
import SubmitConcurrency
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

/// A media item in a file.
private final class FileBytes: MediaBytes {
    let descriptor: CInt
    let size: Int64
    let looks = Locked(0)

    var fileDescriptor: CInt? { descriptor }

    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        size = Int64(lseek(descriptor, 0, SEEK_END))
    }

    deinit { close(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, Int(offset))
        if offset + Int64(count) == size { try verifyUnchanged() }
        return count
    }

    func verifyUnchanged() throws(SubmitFailure) { looks.withLock { $0 += 1 } }
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

    /// Nothing of it is in memory, so that it has to be waited for.
    @Test func `is a file of which memory has nothing, and arrives whole`() async throws {
        let (received, server) = received()
        let folder = TemporaryFolder()
        let content = MemoryBytes.varied(3_000_001)
        let path = folder.path("photo")
        try Data(content).write(to: URL(fileURLWithPath: path))
        let bytes = try FileBytes(path)
        fsync(bytes.descriptor)
        posix_fadvise(bytes.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        let transport = try transport()
        for range in [0..<bytes.size, 70_001..<2_900_000] as [Range<Int64>] {
            _ = try await transport.send(HTTPRequest(method: "PUT", url: server.url, body: .media(bytes, range)))
            #expect(received.withLock { $0 } == Array(content[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
        #expect(bytes.looks.withLock { $0 } > 0, "whoever gets the last byte has looked")
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
            _ = try await transport.send(
                HTTPRequest(method: "PUT", url: server.url, body: .media(other, 0..<other.size)))
            #expect(received.withLock { $0 } == other.content)
            for bytes in hung { bytes.goOn() }
            try await group.waitForAll()
        }
    }
}
