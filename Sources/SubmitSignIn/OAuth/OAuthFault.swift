public import Submit
public import SubmitHTTP

/// Why a service did not give what was asked of it by OAuth. It holds no secret.
public enum OAuthFault: Error, Sendable, Hashable {
    /// There is no answer.
    case transport(HTTPFailure)
    /// It said no.
    ///
    /// - code: one of RFC 6749, section 5.2, RFC 8628, section 3.5, or RFC 7009, section 2.2.1, or what the service has
    ///   in place of them; names that services have for the same things are told as the ones of the standard.
    /// - explanation: what the service says about it, fit for a sentence; empty for nothing.
    case refused(code: String, explanation: String)
    /// It is in trouble or asks to slow down.
    case trouble(status: Int, after: Duration?)
    /// It answers, and not as a service of OAuth does.
    case notUnderstood(status: Int)
    /// Secrets would go there readable by everyone on the way.
    case insecure
    /// The URL is none.
    case noURL
}

extension OAuthFault {
    /// What this means for a destination.
    ///
    /// - Parameters:
    ///   - destination: its name, for the sentence.
    ///   - host: where it was asked, for the sentence.
    public func submitFailure(destination: String, host: String) -> SubmitFailure {
        let misconfigured = Remedy.hold(.misconfigured, after: nil)
        switch self {
        case .transport(let failure): return failure.submitFailure(host: host, file: nil)
        case .refused(let code, let explanation):
            let said = explanation.isEmpty ? code : "\(code): \(explanation)"
            switch code {
            case "invalid_client", "unauthorized_client":
                return SubmitFailure(
                    misconfigured, code: "client",
                    message:
                        "“\(host)” does not take the application of “\(destination)” (\(said)): check client_id and "
                        + "client_secret, and what the service lets the application do.")
            case "invalid_scope", "unsupported_grant_type", "unsupported_response_type", "invalid_request",
                "invalid_target":
                return SubmitFailure(
                    misconfigured, code: "oauth-request",
                    message:
                        "“\(host)” does not take how “\(destination)” asks for tokens (\(said)): check its settings.")
            default:
                return SubmitFailure(
                    .renewCredentials, code: "needs-login",
                    message:
                        "“\(host)” no longer takes what “\(destination)” was signed in with (\(said)): sign in again.")
            }
        case .trouble(let status, let after):
            return SubmitFailure(
                .hold(status == 429 ? .throttled : .unreachable, after: after), code: "token-service",
                message: "“\(host)” gives no tokens for “\(destination)” now (\(status)): it is asked again later.")
        case .notUnderstood(let status):
            return SubmitFailure(
                misconfigured, code: "token-answer",
                message:
                    "“\(host)” answered \(status) with something else when “\(destination)” asked it for a token: check the "
                    + "URLs of its login.")
        case .insecure:
            return SubmitFailure(
                misconfigured, code: "insecure",
                message: "“\(destination)” would show its tokens to the network at “\(host)”: use https.")
        case .noURL:
            return SubmitFailure(
                misconfigured, code: "configuration",
                message: "“\(destination)” has a URL for its login that is none: check its settings.")
        }
    }
}
