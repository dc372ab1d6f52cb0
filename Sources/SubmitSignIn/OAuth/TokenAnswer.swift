internal import Submit
internal import SubmitHTTP

/// Reads the answers of token endpoints, by content: many say no with a 200, or in a form, or in words of their own.
enum TokenAnswer {
    static func read(
        _ response: HTTPResponse, client: OAuthClient, separator: String, now: Timestamp
    ) throws(OAuthFault) -> OAuth2Grant {
        let fields = try fields(of: response, now: now)
        guard (200...299).contains(response.status), let access = fields["access_token"], SecretText.isToken(access)
        else { throw .notUnderstood(status: response.status) }
        let life = fields["expires_in"].flatMap(seconds)
        let tokens = OAuth2Tokens(
            access: access, refresh: refresh(fields["refresh_token"]), issued: now,
            expires: life.map { now.advanced(by: .seconds($0)) },
            scopes: fields["scope"].map { list($0, separator) })
        return OAuth2Grant(tokens: tokens, fields: fields.texts, client: client)
    }

    /// IBM's IAM gives a refresh token that says that there is none.
    private static func refresh(_ text: String?) -> String? { text == "not_supported" ? nil : text }

    /// The fields of an answer that is no refusal.
    static func fields(
        of response: HTTPResponse, now: Timestamp
    ) throws(OAuthFault) -> AnswerFields {
        let fields = AnswerFields(response.body)
        if let fields, let refusal = refusal(fields) {
            // In trouble, servers say no to what they did not look at.
            guard !["server_error", "temporarily_unavailable"].contains(refusal.code), response.status != 429,
                response.status < 500
            else { throw trouble(response, now) }
            throw .refused(code: refusal.code, explanation: refusal.explanation)
        }
        if response.status == 429 || response.status >= 500 { throw trouble(response, now) }
        if let fields { return fields }
        // Glewlwyd refuses a refresh token with a 400 and nothing else.
        if response.body.isEmpty, let code = wordless[response.status] { throw .refused(code: code, explanation: "") }
        throw .notUnderstood(status: response.status)
    }

    private static let wordless = [400: "invalid_grant", 401: "invalid_client"]

    private static func trouble(_ response: HTTPResponse, _ now: Timestamp) -> OAuthFault {
        .trouble(status: response.status, after: response.retryAfter(now: now))
    }

    private static func refusal(_ fields: AnswerFields) -> (code: String, explanation: String)? {
        if let code = fields["error"] {
            guard fields["access_token"] == nil else { return nil }
            let explanation = fields["error_description"] ?? fields["error_message"] ?? ""
            return (standard(code), ForeignText.line(explanation))
        }
        // IBM's IAM: `{"errorCode":"BXNIM0415E","errorMessage":"Provided API key could not be found."}`.
        if let code = fields["errorCode"], code.hasPrefix("BXNIM") {
            return ("invalid_grant", ForeignText.line("\(code) \(fields["errorMessage"] ?? "")"))
        }
        // The Graph API answers with an object.
        if let error = fields.objects["error"] {
            let code = error["code"] == "190" ? "invalid_grant" : error["type"] ?? error["status"] ?? "error"
            return (standard(code), ForeignText.line(error["message"] ?? ""))
        }
        return nil
    }

    /// Services' own names for what the standard has a name for: Glewlwyd's and GitHub's.
    private static let synonyms = [
        "invalid_code": "invalid_grant", "bad_verification_code": "invalid_grant", "bad_refresh_token": "invalid_grant",
        "incorrect_client_credentials": "invalid_client", "code_expired": "expired_token",
        "authorization_declined": "access_denied",
    ]

    private static func standard(_ code: String) -> String {
        synonyms[code] ?? ForeignText.code(code)
    }

    /// Some write a number as text or with a fraction, and 0 for one that never ends.
    private static func seconds(_ text: String) -> Int64? {
        guard let number = Double(text), number >= 1 else { return nil }
        return Int64(min(number, 315_360_000))
    }

    /// Some separate with something else than what they ask for.
    private static func list(_ text: String, _ separator: String) -> [String] {
        text.split { $0 == " " || $0 == "," || String($0) == separator }.map(String.init)
    }
}
