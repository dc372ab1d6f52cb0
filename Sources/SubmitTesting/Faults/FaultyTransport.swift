internal import Submit
internal import SubmitConcurrency
public import SubmitHTTP

/// A transport that makes requests fail as a service does that is down, full or misunderstood, each time it is told to.
///
/// Around the transport of any submitter that speaks HTTP it makes all faults of the contract, at any request, and the
/// service itself hears nothing of them. It knows no protocol: a request for a token is let through, and only what has a
/// media item's bytes in it is told that there is no room.
public final class FaultyTransport: HTTPTransport {
    private struct State {
        var fault: ContractFault?
        /// Requests that still pass.
        var passing = 0
        var hasMet = false
        /// It concerns only requests that have bytes of an item.
        var isOfItem = false
        var isUsed = false
    }

    private let transport: any HTTPTransport
    private let state = Locked(State())

    /// All requests pass at first.
    ///
    /// - Parameter transport: what carries those that do.
    public init(_ transport: any HTTPTransport) { self.transport = transport }

    /// Makes requests fail from now on: a lost reply one of them, all other faults each that follows.
    ///
    /// - Parameter requests: how many of those that it concerns pass before. `nil`: none, and a reply is lost when bytes of
    ///   an item were sent.
    public func make(_ fault: ContractFault, after requests: Int? = nil) {
        state.withLock { state in
            (state.fault, state.hasMet) = (fault, false)
            state.passing = requests ?? 0
            state.isOfItem = requests == nil && fault == .losesReply || fault == .full
        }
    }

    /// All requests pass again.
    public func end() { state.withLock { $0.fault = nil } }

    /// Whether a request met the fault that was made last.
    public var hasMetFault: Bool { state.withLock { $0.hasMet } }

    /// Whether any request came by.
    public var isUsed: Bool { state.withLock { $0.isUsed } }

    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        switch fault(of: request) {
        case nil: return try await transport.send(request)
        case .unreachable: throw .cannotConnect("Connection refused")
        case .refusesCredentials:
            return HTTPResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"fault\"")])
        case .full: return HTTPResponse(status: 507)
        case .throttled: return HTTPResponse(status: 429, headers: [("Retry-After", "1")])
        case .misconfigured:
            return HTTPResponse(
                status: 404, headers: [("Content-Type", "text/html")],
                body: Array("<html><h1>Not Found</h1></html>".utf8))
        case .losesReply:
            _ = try await transport.send(request)
            throw .broken("Connection reset by peer", afterBody: true)
        }
    }

    private func fault(of request: HTTPRequest) -> ContractFault? {
        state.withLock { state in
            state.isUsed = true
            guard let fault = state.fault, !request.asksForToken, !state.isOfItem || request.sendsItem else {
                return nil
            }
            state.passing -= 1
            if state.passing >= 0 { return nil }
            if fault == .losesReply { state.fault = nil }
            state.hasMet = true
            return fault
        }
    }
}

extension HTTPRequest {
    fileprivate var sendsItem: Bool { if case .media = body { true } else { false } }

    /// RFC 6749: what it asks for would be lost with the old one, which is used up.
    fileprivate var asksForToken: Bool {
        guard case .bytes(let bytes) = body, bytes.count < 1 << 16 else { return false }
        return String(decoding: bytes, as: UTF8.self).contains("grant_type=")
    }
}
