internal import Submit
internal import SubmitHTTP

extension OpenStackFailure {
    /// Why there is no answer of an identity service. Nothing of it is about one photo, so that none has to count it.
    init(_ failure: HTTPFailure, at authURL: Endpoint, _ signIn: SignIn) {
        let service = "the identity service at \(authURL.origin)"
        func quoted(_ text: String) -> String { text.isEmpty ? "" : " (\(KnownSecrets.redacted(text)))" }
        func unreachable(_ code: String, _ reason: String) -> OpenStackFailure {
            OpenStackFailure(remedy: .hold(.unreachable, after: nil), code: code, reason: reason)
        }
        switch failure {
        case .cancelled: self = .cancelled
        case .untrusted(let text):
            self = .misconfigured(
                "\(service) is not trusted\(quoted(text)); check “auth_url” and its certificate\(signIn.authorityHint)",
                code: "untrusted")
        case .badRequest(let text):
            self = .misconfigured("\(service) cannot be asked\(quoted(text)); check “auth_url”", code: "bad-request")
        case .refusedRedirect:
            self = .misconfigured("\(service) sends us elsewhere; check “auth_url”", code: "redirected")
        // Neither is used for an identity service.
        case .refusedAuthentication, .credentials, .clientCertificate:
            self = .misconfigured(
                "\(service) wants other credentials than it may get; check “auth_url”", code: "refused-authentication")
        case .unknownHost(let text):
            self = unreachable(
                "unknown-host", "\(service) is not known\(quoted(text)); check “auth_url” and the network")
        case .cannotConnect(let text), .proxy(let text):
            self = unreachable(
                "cannot-connect", "\(service) cannot be reached\(quoted(text)); check that it is up and the network")
        case .broken(let text, _), .badAnswer(let text):
            self = unreachable(
                "broken", "\(service) did not answer as it should\(quoted(text)); check “auth_url” if it stays so")
        case .throttled(let wait):
            self = OpenStackFailure(
                remedy: .hold(.throttled, after: wait), code: "throttled",
                reason: "\(service) asked to be left alone for a while")
        case .stalled, .body: self = unreachable("stalled", "\(service) does not answer; check that it is up")
        }
    }
}

extension SignIn {
    /// What to do where OpenStack's own tools know an authority that submit does not.
    var authorityHint: String {
        certificateAuthority.map { ", or name \($0) as “ca_file” of “network” in submit's configuration" } ?? ""
    }
}
