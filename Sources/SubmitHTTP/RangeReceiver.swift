internal import Crypto
internal import SubmitConcurrency

/// Takes the bytes of a range from an answer, also where the server answers with everything in its place, as RFC 9110
/// (section 14.2) allows.
///
/// A whole answer is read past what was asked for without being kept, and no further than the size that is expected.
/// Give ``take(_:_:_:)`` to ``HTTPRequest/receive``.
public final class RangeReceiver: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// Bytes of the answer that came.
        var count: Int64 = 0
        var isWhole = false
        /// It is neither the range nor the whole.
        var isOther = false
        var hash = SHA256()
    }

    private let range: Range<Int64>
    private let size: Int64
    private let readsOn: Bool
    private let state = Locked(State())

    /// - Parameters:
    ///   - size: bytes of the whole, as expected.
    ///   - readsOn: a whole answer is read to its end, for its ``digestOfWhole(in:)``; otherwise only to the range's end.
    public init(_ range: Range<Int64>, of size: Int64, readsOn: Bool = false) {
        (self.range, self.size, self.readsOn) = (range, size, readsOn)
    }

    /// Takes what comes of a body.
    ///
    /// - Parameter offset: of these bytes in the body; 0 begins anew.
    /// - Returns: false where no more is of use.
    public func take(_ head: HTTPResponse, _ offset: Int64, _ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            if offset == 0 { state = begun(head) }
            if state.isOther { return false }
            let end = state.count + Int64(bytes.count)
            guard end <= (state.isWhole ? size : range.upperBound - range.lowerBound) else {
                state.isOther = true
                return false
            }
            let first = state.isWhole ? range.lowerBound : 0
            let last = first + range.upperBound - range.lowerBound
            let from = Int(min(max(first - state.count, 0), Int64(bytes.count)))
            let to = Int(min(max(last - state.count, 0), Int64(bytes.count)))
            if from < to { state.bytes.append(contentsOf: bytes[from..<to]) }
            if state.isWhole, readsOn { state.hash.update(bufferPointer: bytes) }
            state.count = end
            return !state.isWhole || readsOn || end < last
        }
    }

    private func begun(_ head: HTTPResponse) -> State {
        var state = State()
        let count = range.upperBound - range.lowerBound
        state.isWhole = head.status == 200 && head["Content-Range"] == nil && count < size
        let announced = head["Content-Length"].flatMap { Int64($0) }
        state.isOther = announced.map { $0 != (state.isWhole ? size : count) } ?? false
        return state
    }

    /// The answer has everything in place of the range.
    public var isWhole: Bool { state.withLock { $0.isWhole } }

    /// The bytes of the range; `nil` where the answer had others.
    public func bytes(of answer: HTTPResponse) -> [UInt8]? {
        feed(answer)
        return state.withLock { state in
            if state.isOther { return nil }
            if state.isWhole {
                return Int64(state.bytes.count) == range.upperBound - range.lowerBound ? state.bytes : nil
            }
            var part = answer
            part.body = state.bytes
            return part.bytes(of: range, of: size)
        }
    }

    /// The SHA-256 of the whole, where all of it came in place of the range.
    public func digestOfWhole(in answer: HTTPResponse) -> [UInt8]? {
        feed(answer)
        return state.withLock { state in
            readsOn && state.isWhole && !state.isOther && state.count == size ? Array(state.hash.finalize()) : nil
        }
    }

    /// Transports that hand over the body at once have left it in the answer.
    private func feed(_ answer: HTTPResponse) {
        guard !answer.body.isEmpty, state.withLock({ $0.count == 0 && !$0.isOther }),
            (200..<300).contains(answer.status)
        else { return }
        _ = answer.body.withUnsafeBytes { take(answer, 0, $0) }
    }
}
