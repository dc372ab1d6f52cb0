internal import FoundationEssentials
internal import Submit
internal import SubmitHTTP

extension IdentityService {
    /// What an answer that is no success means.
    ///
    /// Source: the status codes of "POST /v3/auth/tokens" in the Identity API v3 reference. A service in trouble is
    /// waited for, and nothing of it counts against a photo.
    func refusal(_ answer: HTTPResponse, _ authURL: Endpoint) -> OpenStackFailure {
        let service = "the identity service at \(authURL.origin)"
        let said = "\(answer.status)" + (Message.text(answer.body).map { " “\(ForeignText.line($0))”" } ?? "")
        let wait = answer.retryAfter(now: now())
        switch answer.status {
        case 401:
            return OpenStackFailure(
                remedy: .renewCredentials, code: "credentials",
                reason: "\(service) refuses \(signIn.identity) (\(said)); check \(advice)")
        case 403:
            return .misconfigured(
                "\(service) does not let \(signIn.identity) in (\(said)); ask those who run it", code: "access-denied")
        case 408, 500, 502...504, 506...510:
            return OpenStackFailure(
                remedy: .hold(.unreachable, after: wait), code: "unavailable",
                reason: "\(service) is in trouble (\(said)); check that it is up")
        case 413, 429, 498:
            return OpenStackFailure(
                remedy: .hold(.throttled, after: wait), code: "throttled",
                reason: "\(service) asks us to slow down (\(said))")
        case 300..<400:
            let place = answer["Location"].map { " (\(answer.status) to “\(ForeignText.line($0))”)" } ?? " (\(said))"
            return wrongURL("\(authURL.origin) sends us elsewhere\(place)")
        case 400 where !answer.isPage:
            return .misconfigured(
                "\(service) does not understand the request (\(said)); check the user, the project and their domains")
        default: return noService(authURL, answer)
        }
    }

    /// Something else answers there.
    func noService(_ authURL: Endpoint, _ answer: HTTPResponse) -> OpenStackFailure {
        wrongURL("no OpenStack identity service answers at \(authURL.url("")) (\(answer.status))")
    }

    private func wrongURL(_ what: String) -> OpenStackFailure {
        let shape =
            if case .v1 = signIn.identity { "such as https://store.example.org/auth/v1.0" } else { "which ends in /v3" }
        return .misconfigured("\(what); set “auth_url” to the identity service's URL, \(shape)", code: "wrong-endpoint")
    }

    private var advice: String {
        switch signIn.identity {
        case .password: "it, the user's domain and the project"
        case .applicationCredential: "its secret, and whether it has ended"
        case .token, .issued: "whether it has ended, and get another"
        case .v1: "it"
        }
    }

    /// What the service says for people: `{"error": {"message": …}}`.
    private struct Message: Decodable {
        let error: Text

        struct Text: Decodable { let message: String }

        static func text(_ body: [UInt8]) -> String? {
            (try? JSONDecoder().decode(Message.self, from: Data(body)))?.error.message
        }
    }
}
