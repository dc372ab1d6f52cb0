internal import Foundation
internal import Submit
internal import SubmitConcurrency

/// Stands before a server of HTTP, hands everything on as it is, and counts the bodies of PUT and PATCH. It can stop in
/// the midst of them, or at another request, so that a test can kill a program at that very moment.
public final class CountingProxy: Sendable {
    /// A PUT or a PATCH as it came by.
    public struct Put: Sendable {
        /// Percent-encoded, with the query.
        public let target: String
        /// Of its body, as it was announced.
        public let length: Int64
        /// Where its body begins in the whole, by the headers of mod_dav, SabreDAV and tus; 0 without any.
        public let offset: Int64
        /// Bytes of its body that came.
        public fileprivate(set) var bytes: Int64 = 0
        /// The server got all of it.
        public fileprivate(set) var isWhole = false

        fileprivate init(_ request: ReceivedRequest) {
            target = request.target
            length = Int64(request["Content-Length"] ?? "") ?? 0
            let range = request["Content-Range"] ?? request["X-Update-Range"] ?? request["Upload-Offset"]
            offset = range?.firstMatch(of: /\d+/).flatMap { Int64($0.0) } ?? 0
        }

        /// The part it is, of S3's, a segment of Swift's or a piece of Nextcloud's, where it is one.
        public var part: Int? {
            let number =
                target.firstMatch(of: /[?&]partNumber=(\d+)/) ?? target.firstMatch(of: /_segments\/.*\/(\d{8})$/)
                ?? target.firstMatch(of: /\/dav\/uploads\/.*\/(\d{5})$/)
            return number.flatMap { Int($0.1) }
        }
    }

    /// Which request to stop at, and whether the server shall have done it.
    private struct Stop {
        var method: String
        var isDone: Bool
    }

    private final class Counter: @unchecked Sendable {
        private let condition = NSCondition()
        private var puts: [Put] = []
        private var bytes: Int64 = 0
        private var limit = Int64.max
        private var stop: Stop?
        private var isHolding = false

        func change<Result>(_ body: (inout [Put], inout Int64, inout Int64) -> Result) -> Result {
            condition.lock()
            defer { condition.unlock() }
            defer { condition.broadcast() }
            return body(&puts, &bytes, &limit)
        }

        /// Counts what came of a body, and waits while no more may pass; whether it had to.
        func pass(_ count: Int, of put: Int?) -> Bool {
            condition.lock()
            defer { condition.unlock() }
            if let put { puts[put].bytes += Int64(count) }
            bytes += Int64(count)
            condition.broadcast()
            guard bytes >= limit else { return false }
            while bytes >= limit { condition.wait() }
            return true
        }

        func stop(at stop: Stop?) {
            condition.lock()
            self.stop = stop
            isHolding = false
            condition.broadcast()
            condition.unlock()
        }

        /// Whether something waits, or would.
        var isStopped: Bool {
            condition.lock()
            defer { condition.unlock() }
            return isHolding || bytes >= limit
        }

        /// Whether to stop at a request of this method, before or after it is done.
        func stops(at method: String, isDone: Bool) -> Bool {
            condition.lock()
            defer { condition.unlock() }
            return stop?.method == method && stop?.isDone == isDone
        }

        /// Waits until it shall go on.
        func hold() {
            condition.lock()
            defer { condition.unlock() }
            guard stop != nil else { return }
            isHolding = true
            while isHolding { condition.wait() }
        }
    }

    private let counter = Counter()
    private let server: ScriptedServer

    public var endpoint: String { server.endpoint }
    public var port: Int { server.port }

    /// - Parameters:
    ///   - port: the server's, on the loopback.
    ///   - isOpaque: what comes cannot be read, as with TLS: all of it is counted, and there are no ``puts``.
    public init(to port: Int, isOpaque: Bool = false) {
        let counter = counter
        server = ScriptedServer { connection in
            guard let upstream = ServerConnection(to: port) else { return }
            let keepsAnswer = Locked(false)
            Thread.detachNewThread {
                while let bytes = upstream.some(64 << 10) {
                    if keepsAnswer.withLock({ $0 }) { counter.hold() }
                    guard connection.write(bytes) else { break }
                }
                connection.end()
            }
            if isOpaque {
                while let bytes = connection.some(256 << 10), Self.hand(bytes, from: connection, to: upstream, counter)
                {}
            } else {
                while let request = connection.head(),
                    Self.hand(request, from: connection, to: upstream, counter, keepsAnswer)
                {}
            }
            upstream.end()
        }
    }

    deinit { goOn() }

    private static func hand(
        _ bytes: [UInt8], from connection: ServerConnection, to upstream: ServerConnection, _ counter: Counter
    ) -> Bool {
        if counter.pass(bytes.count, of: nil), connection.isLeft { return false }
        return upstream.write(bytes)
    }

    private static func hand(
        _ request: ReceivedRequest, from connection: ServerConnection, to upstream: ServerConnection,
        _ counter: Counter, _ keepsAnswer: Locked<Bool>
    ) -> Bool {
        let put: Int? =
            !["PUT", "PATCH"].contains(request.method)
            ? nil
            : counter.change { puts, _, _ in
                puts.append(Put(request))
                return puts.count - 1
            }
        if counter.stops(at: request.method, isDone: false) {
            counter.hold()
            if connection.isLeft { return false }
        }
        let isKept = counter.stops(at: request.method, isDone: true)
        keepsAnswer.withLock { $0 = isKept }
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

    /// Those that came by, in their order.
    public var puts: [Put] { counter.change { puts, _, _ in puts } }

    /// Bytes of all their bodies.
    public var bytes: Int64 { counter.change { _, bytes, _ in bytes } }

    /// From so many bytes on lets no more pass, until ``goOn()``.
    public func stop(at bytes: Int64) { counter.change { _, _, limit in limit = bytes } }

    /// Lets no request of this method pass, until ``goOn()``.
    public func stop(before method: String) { counter.stop(at: Stop(method: method, isDone: false)) }

    /// Keeps the answers on requests of this method, until ``goOn()``.
    public func stop(after method: String) { counter.stop(at: Stop(method: method, isDone: true)) }

    /// It has come to where it shall stop.
    public var isStopped: Bool { counter.isStopped }

    /// Lets everything pass.
    public func goOn() {
        counter.change { _, _, limit in limit = .max }
        counter.stop(at: nil)
    }
}
