internal import Logging
internal import Submit
internal import Synchronization

/// Logs each request and its answer, where `Logger.current` is heard at the level `trace`; else it does nothing.
///
/// It belongs just above what sends, below authentication, pacing and redirects, so that each request that leaves is told of,
/// and only those. Of headers and of parameters in URLs the names are shown, and values by allow-list; of bodies 2 KiB where they
/// are text and in memory, and else how long they are. Nothing is read for that, and what is sent is the same.
public struct TracingTransport: HTTPTransport {
    private let next: any HTTPTransport
    private static let count = Atomic<Int>(0)

    /// - Parameter next: sends.
    public init(_ next: any HTTPTransport) {
        self.next = next
    }

    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let logger = Logger.current
        guard logger.logLevel <= .trace else { return try await next.send(request) }
        let number = Self.count.add(1, ordering: .relaxed).newValue
        let line = "\(request.method) \(TraceRedaction.url(request.url))"
        logger.trace("→ \(line)", metadata: Self.facts(of: request, number))
        var request = request
        request.measured = { [measured = request.measured] measure in
            measured?(measure)
            logger.trace(
                measure.code == 0 ? "· sent" : "· failed",
                metadata: Self.facts(of: measure).merging(["request": "\(number)"]) { $1 })
        }
        let begun = ContinuousClock.now
        do throws(HTTPFailure) {
            let answer = try await next.send(request)
            logger.trace("← \(answer.status) on \(line)", metadata: Self.facts(of: answer, number, since: begun))
            return answer
        } catch {
            logger.trace(
                "← nothing on \(line)",
                metadata: [
                    "request": "\(number)", "ms": "\((ContinuousClock.now - begun).wireMilliseconds)",
                    "reason": .string(KnownSecrets.redacted(error.words)),
                ])
            throw error
        }
    }

    private static func facts(of request: HTTPRequest, _ number: Int) -> Logger.Metadata {
        var facts: Logger.Metadata = [
            "request": "\(number)", "headers": .array(TraceRedaction.headers(request.headers).map { .string($0) }),
        ]
        switch request.body {
        case .none: break
        case .bytes(let bytes): facts["body"] = .string(TraceRedaction.body(bytes, request.headers))
        case .media(_, let range): facts["body"] = "bytes \(range.lowerBound)..<\(range.upperBound) of the file"
        }
        return facts
    }

    private static func facts(
        of answer: HTTPResponse, _ number: Int, since begun: ContinuousClock.Instant
    ) -> Logger.Metadata {
        var facts: Logger.Metadata = [
            "request": "\(number)", "ms": "\((ContinuousClock.now - begun).wireMilliseconds)",
            "headers": .array(TraceRedaction.headers(answer.headers).map { .string($0) }),
        ]
        let body = TraceRedaction.body(answer.body, answer.headers)
        if !body.isEmpty { facts["body"] = .string(body) }
        return facts
    }

    private static func facts(of measure: TransferMeasure) -> Logger.Metadata {
        var facts: Logger.Metadata = [
            "address": .string(measure.address),
            "connection": measure.isNewConnection ? "new" : measure.address.isEmpty ? "none" : "reused",
            "http": .string(measure.version), "connected_ms": "\(measure.connected.wireMilliseconds)",
            "total_ms": "\(measure.total.wireMilliseconds)",
            "bytes_sent": "\(measure.sent)", "bytes_received": "\(measure.received)",
        ]
        // Of a request with a body libcurl measures when the first of that has left.
        if measure.sent == 0 { facts["first_byte_ms"] = "\(measure.firstByte.wireMilliseconds)" }
        if measure.code != 0 {
            facts["libcurl"] = "\(measure.code)"
            facts["reason"] = .string(KnownSecrets.redacted(measure.words))
        }
        return facts
    }
}

extension HTTPFailure {
    /// Which it is, and what was said of it.
    fileprivate var words: String {
        switch self {
        case .unknownHost(let text): "unknown host: \(text)"
        case .cannotConnect(let text): "cannot connect: \(text)"
        case .untrusted(let text): "untrusted: \(text)"
        case .proxy(let text): "proxy: \(text)"
        case .stalled(let afterBody): "stalled\(afterBody ? ", after the whole body" : "")"
        case .broken(let text, let afterBody): "broken\(afterBody ? ", after the whole body" : ""): \(text)"
        default: "\(self)"
        }
    }
}

extension Duration {
    fileprivate var wireMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
