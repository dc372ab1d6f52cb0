import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@Suite struct RangeReaderTests {
    private let content = ScriptedBytes.content(count: 10 << 20)

    /// A server that answers ranges with everything it holds, in pieces, until no more is wanted.
    private func reader(of held: [UInt8], size: Int64, taken: Locked<Int> = Locked(0)) -> RangeReader {
        RangeReader(size: size) { (range, receiver) in
            let head = HTTPResponse(status: 200)
            var offset = 0
            while offset < held.count {
                let end = min(offset + 1 << 20, held.count)
                let goesOn = held[offset..<end].withUnsafeBytes { receiver.take(head, Int64(offset), $0) }
                taken.withLock { $0 += end - offset }
                if !goesOn { break }
                offset = end
            }
            return head
        } judge: { _ in
        }
    }

    @Test func `a range is cut out of an answer with everything, which is read no further`() async throws {
        let taken = Locked(0)
        let reader = reader(of: content, size: 10 << 20, taken: taken)
        #expect(try await reader.read(3_000_000..<3_500_000) == Array(content[3_000_000..<3_500_000]))
        #expect(taken.withLock { $0 } == 4 << 20)
    }

    @Test func `an answer with everything is compared with a part of an item by reading it once`() async throws {
        let taken = Locked(0)
        let reader = reader(of: content, size: 10 << 20, taken: taken)
        #expect(try await reader.holds(ScriptedBytes(content), in: 1_000_000..<9_000_000) == true)
        #expect(taken.withLock { $0 } == 9 << 20)
        var other = content
        other[8_999_999] ^= 1
        #expect(try await reader.holds(ScriptedBytes(other), in: 1_000_000..<9_000_000) == false)
        other = content
        other[9_000_000] ^= 1
        #expect(try await reader.holds(ScriptedBytes(other), in: 1_000_000..<9_000_000) == true)
    }

    @Test(arguments: [-1, 1])
    func `an answer with everything is no copy if it has another size than expected`(_ difference: Int) async throws {
        let taken = Locked(0)
        let held = ScriptedBytes.content(count: (10 << 20) + difference)
        let reader = reader(of: held + (difference > 0 ? content : []), size: 10 << 20, taken: taken)
        #expect(try await reader.digest() == nil)
        #expect(taken.withLock { $0 } <= 11 << 20)
    }
}
