public import Submit

/// Something that carries HTTP requests: libcurl in earnest, a script in tests.
///
/// A transport sends what it is given, once. It does not retry, follow redirects or log, and it holds nothing back:
/// ``PacingTransport`` alone does, where a host asked for patience.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns its answer, whatever the status.
    ///
    /// - Throws: ``HTTPFailure`` when there is no complete answer. Cancelling the task ends the request at once, with
    ///   ``HTTPFailure/cancelled``.
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
}

/// Why there is no answer.
public enum HTTPFailure: Error, Sendable, Hashable {
    /// The host's name does not resolve.
    case unknownHost(String)
    /// No connection could be made: refused, unreachable, timed out.
    case cannotConnect(String)
    /// TLS could not be agreed on or the certificate is not trusted.
    case untrusted(String)
    /// The proxy refused or cannot be reached.
    case proxy(String)
    /// Nothing moved for as long as allowed. `afterBody`: the body had been sent whole.
    case stalled(afterBody: Bool)
    /// The connection broke. `afterBody`: the body had been sent whole, so that the server may have acted on it.
    case broken(String, afterBody: Bool)
    /// The answer is not HTTP, or larger than allowed.
    case badAnswer(String)
    /// The request cannot be sent as it is: its URL or a header is not valid.
    case badRequest(String)
    /// The host asked to be left alone, and that is not over for so long. Nothing was sent.
    case throttled(after: Duration)
    /// The server sent us elsewhere, and we must not go there. One sentence.
    case refusedRedirect(String)
    /// The server wants our credentials in a way in which it must not get them. Nothing secret was sent.
    case refusedAuthentication(AuthenticationRefusal)
    /// There are no credentials to send it with, and why. Nothing was sent.
    case credentials(SubmitFailure)
    /// Our own certificate cannot be used, or the server does not take it. One sentence.
    case clientCertificate(String)
    /// The body's source failed.
    case body(SubmitFailure)
    /// The task was cancelled. The server may have got the request.
    case cancelled
}
