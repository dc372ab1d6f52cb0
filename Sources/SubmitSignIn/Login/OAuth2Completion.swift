internal import Submit
internal import SubmitHTTP

/// What is done with the tokens of a login by OAuth 2, however they came.
struct OAuth2Completion: Sendable {
    let settings: OAuth2Settings

    func grant(_ grant: OAuth2Grant) async throws(SubmitFailure) -> LoginGrant {
        var secrets: [String: String] = [:]
        grant.tokens.write(to: &secrets)
        if settings.client == nil { grant.client.write(to: &secrets) }
        var result = LoginGrant(account: "", secrets: [:])
        if let after = settings.afterLogin { result = try await after(grant, secrets) }
        if let token = result.secrets["access_token"], token != grant.tokens.access {
            // Another token has another life.
            for name in ["access_token_issued", "access_token_expires"] { secrets[name] = nil }
        }
        result.secrets.merge(secrets) { changed, _ in changed }
        if result.account.isEmpty { result.account = grant.client.id }
        let missing = settings.service.scopes.filter { scope in grant.tokens.scopes.map { !$0.contains(scope) } ?? false
        }
        if !missing.isEmpty {
            result.notices.append(
                "“\(settings.destination)” was not granted \(missing.joined(separator: ", ")): what needs it will fail."
            )
        }
        return result
    }

    /// What a fault means while someone signs in: what waiting cures stays so, all else is told to the person.
    func failure(_ fault: OAuthFault) -> SubmitFailure {
        let host = Endpoint(originOf: settings.service.tokenURL)?.authority ?? settings.destination
        guard case .refused(let code, let explanation) = fault else {
            return fault.submitFailure(destination: settings.destination, host: host)
        }
        return refusal(code: code, explanation: explanation)
            ?? fault.submitFailure(
                destination: settings.destination, host: host)
    }

    /// A refusal that is about this login.
    func refusal(code: String, explanation: String) -> SubmitFailure? {
        let said = explanation.isEmpty ? code : "\(code): \(explanation)"
        switch code {
        case "access_denied":
            return SubmitFailure(
                .giveUp, code: "login-denied",
                message: "Nobody was let in at “\(settings.destination)” (\(said)): sign in again.")
        case "invalid_grant", "expired_token":
            return SubmitFailure(
                .giveUp, code: "login-expired",
                message: "“\(settings.destination)” does not take this answer, or no longer (\(said)): sign in again.")
        default: return nil
        }
    }

    /// What an answer means that brings no code.
    func failure(_ refusal: OAuth2Authorization.Refusal) -> SubmitFailure {
        switch refusal {
        case .foreign(let what):
            SubmitFailure(
                .retry(after: nil), code: "login-answer",
                message: "\(what): the login at “\(settings.destination)” goes on waiting.")
        case .refused(let code, let explanation):
            failure(OAuthFault.refused(code: code, explanation: explanation))
        }
    }
}
