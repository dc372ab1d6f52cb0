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
        /// It's neither the range nor the whole.
        var isOther = false
        var hash = SHA256()
    }

    /// The bytes that are asked for.
    public let range: Range<Int64>
    private let size: Int64
    private let span: Range<Int64>?
    private let state = Locked(State())

    /// - Parameters:
    ///   - size: bytes of the whole, as expected.
    ///   - span: if the answer is the whole, it is read to the end of these bytes, for ``digestOfSpan(in:)``; if `nil`, only
    ///     to the end of the range.
    public init(_ range: Range<Int64>, of size: Int64, span: Range<Int64>? = nil) {
        (self.range, self.size, self.span) = (range, size, span)
    }

    /// What the header `Range` says of the range.
    public var header: String { "bytes=\(range.lowerBound)-\(range.upperBound - 1)" }

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
            let piece = state.count..<end
            let kept = state.isWhole ? range : 0..<range.upperBound - range.lowerBound
            state.bytes.append(contentsOf: Self.common(kept, in: piece, bytes))
            if state.isWhole, let span { state.hash.update(bufferPointer: Self.common(span, in: piece, bytes)) }
            state.count = end
            // A span to the end is read on: more than that shows that this is something else.
            return !state.isWhole || end < (span ?? range).upperBound || span?.upperBound == size
        }
    }

    /// Those of the bytes at `piece` that are in `range`, too.
    private static func common(
        _ range: Range<Int64>, in piece: Range<Int64>, _ bytes: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        let part = range.clamped(to: piece)
        return UnsafeRawBufferPointer(
            rebasing: bytes[Int(part.lowerBound - piece.lowerBound)..<Int(part.upperBound - piece.lowerBound)])
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

    /// The SHA-256 of the span, if the whole came in place of the range.
    public func digestOfSpan(in answer: HTTPResponse) -> [UInt8]? {
        feed(answer)
        return state.withLock { state in
            guard let span, state.isWhole, !state.isOther, state.count >= span.upperBound else { return nil }
            return Array(state.hash.finalize())
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
