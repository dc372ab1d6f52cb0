import Submit
import SubmitConcurrency
import SubmitHTTP

@testable import OAuthHTTPSubmitter

/// What goes wrong on our side of the wire with one request.
enum WireFault: String, Sendable, CaseIterable {
    /// The service stops taking what is sent.
    case stalledInTheMiddle
    /// It is done, and nothing more comes.
    case stalledAfterAll
    /// The process is killed before the service gets it.
    case killedBefore
    /// The process is killed when the service has done it.
    case killedAfter

    var isDone: Bool { [.stalledAfterAll, .killedAfter].contains(self) }
    var isKill: Bool { [.killedBefore, .killedAfter].contains(self) }
}

/// Passes on what is sent, counts it, and goes wrong at one request.
final class BadWire: HTTPTransport {
    struct Sent: Sendable {
        var method: String
        /// Without the query.
        var url: String
        var bodyBytes: Int64
    }

    private let base: any HTTPTransport
    private let number: Int
    private let fault: WireFault?
    private let kill: @Sendable () -> Void
    private let requests = Locked<[Sent]>([])

    /// - Parameter number: of the request that goes wrong, from 0.
    init(
        _ base: any HTTPTransport, at number: Int = 0, _ fault: WireFault? = nil, kill: @escaping @Sendable () -> Void
    ) {
        self.base = base
        self.number = number
        self.fault = fault
        self.kill = kill
    }

    var sent: [Sent] { requests.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        let url = request.url.prefix { $0 != "?" }
        let count = requests.withLock { requests in
            requests.append(Sent(method: request.method, url: String(url), bodyBytes: request.body.length ?? 0))
            return requests.count
        }
        guard let fault, count == number + 1 else { return try await base.send(request) }
        if fault.isDone { _ = try await base.send(request) }
        if fault.isKill {
            kill()
            throw .cancelled
        }
        throw .stalled(afterBody: fault.isDone)
    }
}
