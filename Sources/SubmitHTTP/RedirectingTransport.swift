/// A transport that follows redirects as far as ``Redirect`` lets it, at most five in a row. It stands around an
/// ``AuthenticatingTransport``, so that each hop is looked at on its own.
public struct RedirectingTransport: HTTPTransport {
    private let transport: any HTTPTransport

    /// How often one request is sent on.
    static let limit = 5

    /// - Parameter transport: one that follows no redirects itself.
    public init(_ transport: any HTTPTransport) {
        self.transport = transport
    }

    /// Sends a request to wherever it leads, and returns the answer from there.
    ///
    /// - Throws: what the transport throws, and ``HTTPFailure/refusedRedirect(_:)``.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        var request = request
        for _ in 0...Self.limit {
            let response = try await transport.send(request)
            switch Redirect(request, response) {
            case .none: return response
            case .follow(let next): request = next
            case .refuse(let sentence): throw .refusedRedirect(sentence)
            }
        }
        throw .refusedRedirect("The server sent us on more than \(Self.limit) times: check the destination's URL.")
    }
}
