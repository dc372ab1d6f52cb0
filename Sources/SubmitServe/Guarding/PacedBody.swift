internal import Hummingbird
internal import NIOCore

/// A request's body that ends with an error where it comes too slowly for too long: who trickles keeps others out.
struct PacedBody: AsyncSequence, Sendable {
    private let base: RequestBody
    private let window: Duration
    private let leastBytes: Int

    struct TooSlow: Error {}

    /// - Parameters:
    ///   - window: how long it may be slower.
    ///   - leastBytes: what has to come in each of them.
    init(_ base: RequestBody, window: Duration = .seconds(30), leastBytes: Int = 30 << 10) {
        self.base = base
        self.window = window
        self.leastBytes = leastBytes
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: RequestBody.AsyncIterator
        fileprivate let window: Duration
        fileprivate let leastBytes: Int
        fileprivate var waited = Duration.zero
        fileprivate var count = 0

        /// Only waiting counts: while a disk is slow nothing is read, and that is none of the sender's doing.
        mutating func next() async throws -> ByteBufferView? {
            let asked = ContinuousClock.now
            guard let piece = try await base.next() else { return nil }
            waited += .now - asked
            count += piece.readableBytes
            if waited > window {
                guard count >= leastBytes else { throw TooSlow() }
                (waited, count) = (.zero, 0)
            }
            return piece.readableBytesView
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator(), window: window, leastBytes: leastBytes)
    }
}
