internal import Foundation

/// Stands before a server of HTTP, hands everything on as it is, and counts the bodies of the PUTs. It can stop in the
/// midst of them, so that a test can kill a program at that very byte.
public final class CountingProxy: Sendable {
    /// A PUT as it came by.
    public struct Put: Sendable {
        /// Percent-encoded, with the query.
        public let target: String
        /// Bytes of its body that came.
        public fileprivate(set) var bytes: Int64 = 0
        /// The server got all of it.
        public fileprivate(set) var isWhole = false

        /// The part it is, of S3's or a segment of Swift's, where it is one.
        public var part: Int? {
            let number =
                target.firstMatch(of: /[?&]partNumber=(\d+)/) ?? target.firstMatch(of: /_segments\/.*\/(\d{8})$/)
            return number.flatMap { Int($0.1) }
        }
    }

    private final class Counter: @unchecked Sendable {
        private let condition = NSCondition()
        private var puts: [Put] = []
        private var bytes: Int64 = 0
        private var limit = Int64.max

        func change<Result>(_ body: (inout [Put], inout Int64, inout Int64) -> Result) -> Result {
            condition.lock()
            defer { condition.unlock() }
            defer { condition.broadcast() }
            return body(&puts, &bytes, &limit)
        }

        /// Counts what came of a PUT's body, and waits while no more may pass; whether it had to.
        func pass(_ count: Int, of put: Int) -> Bool {
            condition.lock()
            defer { condition.unlock() }
            puts[put].bytes += Int64(count)
            bytes += Int64(count)
            condition.broadcast()
            guard bytes >= limit else { return false }
            while bytes >= limit { condition.wait() }
            return true
        }
    }

    private let counter = Counter()
    private let server: ScriptedServer

    public var endpoint: String { server.endpoint }
    public var port: Int { server.port }

    /// - Parameter port: the server's, on the loopback.
    public init(to port: Int) {
        let counter = counter
        server = ScriptedServer { connection in
            guard let upstream = ServerConnection(to: port) else { return }
            Thread.detachNewThread {
                while let bytes = upstream.some(64 << 10), connection.write(bytes) {}
                connection.end()
            }
            while let request = connection.head(), Self.hand(request, from: connection, to: upstream, counter) {}
            upstream.end()
        }
    }

    deinit { goOn() }

    private static func hand(
        _ request: ReceivedRequest, from connection: ServerConnection, to upstream: ServerConnection,
        _ counter: Counter
    ) -> Bool {
        let put: Int? =
            request.method != "PUT"
            ? nil
            : counter.change { puts, _, _ in
                puts.append(Put(target: request.target))
                return puts.count - 1
            }
        guard upstream.write(request.head) else { return false }
        var left = Int(request["Content-Length"] ?? "0") ?? 0
        while left > 0 {
            guard let bytes = connection.some(min(left, 256 << 10)) else { return false }
            left -= bytes.count
            // Whoever left meanwhile does not want it any more; a server that heard of it would have stopped too.
            if let put, counter.pass(bytes.count, of: put), connection.isLeft { return false }
            guard upstream.write(bytes) else { return false }
        }
        if let put { counter.change { puts, _, _ in puts[put].isWhole = true } }
        return true
    }

    /// The PUTs that came by, in their order.
    public var puts: [Put] { counter.change { puts, _, _ in puts } }

    /// Bytes of the bodies of all PUTs.
    public var bytes: Int64 { counter.change { _, bytes, _ in bytes } }

    /// From so many bytes on lets no more pass, until ``goOn()``.
    public func stop(at bytes: Int64) { counter.change { _, _, limit in limit = bytes } }

    /// Lets everything pass.
    public func goOn() { counter.change { _, _, limit in limit = .max } }
}
