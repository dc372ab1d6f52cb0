import Testing

/// Lets a test wait until a server's thread says so.
struct Signal: Sendable {
    private let stream: AsyncStream<Int>
    private let continuation: AsyncStream<Int>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func send(_ value: Int = 0) {
        continuation.yield(value)
    }

    /// The next value sent.
    func wait() async -> Int {
        for await value in stream { return value }
        return 0
    }
}
