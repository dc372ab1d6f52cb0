public import Submit
internal import SubmitDigest

/// Reads what a server holds, in ranges.
///
/// A server may answer a range with everything (RFC 9110, section 14.2). Such an answer is read through once, and never
/// beyond the expected size.
public struct RangeReader {
    /// Sends a request whose `HTTPRequest.receive` is the receiver's `take`, with this header `Range`, or without one.
    public typealias Ask =
        @Sendable (_ range: String?, _ receiver: RangeReceiver) async throws(SubmitFailure) -> HTTPResponse

    private let size: Int64
    private let retriesWhole: Bool
    private let ask: Ask
    private let judge: @Sendable (HTTPResponse) throws(SubmitFailure) -> Void

    /// - Parameters:
    ///   - size: bytes of what is there, as expected.
    ///   - retriesWhole: if a range is refused or cut off, everything is asked for.
    ///   - ask: sends a request and returns its answer, whatever its status.
    ///   - judge: throws the failure that an answer without the bytes means; returns if the server just doesn't hand them out.
    public init(
        size: Int64, retriesWhole: Bool = false, ask: @escaping Ask,
        judge: @escaping @Sendable (HTTPResponse) throws(SubmitFailure) -> Void
    ) {
        (self.size, self.retriesWhole, self.ask, self.judge) = (size, retriesWhole, ask, judge)
    }

    /// The bytes of a range; `nil` if the server doesn't hand them out.
    ///
    /// - Throws: the failure of a request or its answer, or `SubmitFailure.cancelled`.
    public func read(_ range: Range<Int64>) async throws(SubmitFailure) -> [UInt8]? {
        if case .bytes(let bytes)? = try await piece(range, of: nil) { bytes } else { nil }
    }

    /// The SHA-256 of everything; `nil` if the server doesn't hand it out.
    ///
    /// - Throws: the failure of a request or its answer, or `SubmitFailure.cancelled`.
    public func digest() async throws(SubmitFailure) -> [UInt8]? {
        var whole: [UInt8]?
        let digest = try await Digests.readBack(size: size) { (range) async throws(SubmitFailure) in
            switch try await piece(range, of: 0..<size) {
            case .bytes(let bytes)?: return bytes
            case .digest(let digest)?: whole = digest
            case nil: break
            }
            return nil
        }
        return whole ?? digest
    }

    /// Whether a range of what is there has the same bytes as an item; `nil` if the server doesn't hand it out.
    ///
    /// - Throws: the failure of a request or its answer, that of the item's source, or `SubmitFailure.cancelled`.
    public func holds(_ bytes: any MediaBytes, in span: Range<Int64>) async throws(SubmitFailure) -> Bool? {
        var whole: [UInt8]?
        let isEqual = try await bytes.equals(in: span) { (range) async throws(SubmitFailure) in
            switch try await piece(range, of: span) {
            case .bytes(let bytes)?: return bytes
            case .digest(let digest)?: whole = digest
            case nil: break
            }
            return nil
        }
        guard let whole else { return isEqual }
        return try await Digests.computed([.sha256], of: bytes, in: span)[.sha256] == whole
    }

    private enum Piece {
        case bytes([UInt8])
        /// Everything came in place of the range, and this is the SHA-256 of the span.
        case digest([UInt8])
    }

    private func piece(_ range: Range<Int64>, of span: Range<Int64>?) async throws(SubmitFailure) -> Piece? {
        for isRange in retriesWhole ? [true, false] : [true] {
            let receiver = RangeReceiver(range, of: size, span: span)
            let answer = try await ask(isRange ? receiver.header : nil, receiver)
            if let digest = receiver.digestOfSpan(in: answer) { return .digest(digest) }
            if !(span != nil && receiver.isWhole), let bytes = receiver.bytes(of: answer) { return .bytes(bytes) }
            // Some cut ranges off (PyWebDAV3), or know none.
            if isRange, retriesWhole, [206, 416].contains(answer.status) { continue }
            try judge(answer)
            break
        }
        return nil
    }
}
