import Submit
import SubmitHTTP
import Testing

@testable import SubmitSignIn

/// What services answer, and what it means.
struct AnswerExample: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let status: Int
    let body: String
    let fault: OAuthFault

    static let refusals = [
        AnswerExample(
            testDescription: "RFC 6749", status: 400,
            body: #"{"error":"invalid_grant","error_description":"too old"}"#,
            fault: .refused(code: "invalid_grant", explanation: "too old")),
        AnswerExample(
            testDescription: "RFC 6749, the client", status: 401, body: #"{"error":"invalid_client"}"#,
            fault: .refused(code: "invalid_client", explanation: "")),
        AnswerExample(
            testDescription: "Glewlwyd's wrong code", status: 403, body: #"{"error":"invalid_code"}"#,
            fault: .refused(code: "invalid_grant", explanation: "")),
        AnswerExample(
            testDescription: "Glewlwyd's used refresh token", status: 400, body: "",
            fault: .refused(code: "invalid_grant", explanation: "")),
        AnswerExample(
            testDescription: "GitHub's 200 in a form", status: 200,
            body: "error=bad_verification_code&error_description=The+code+is+wrong.&error_uri=https%3A%2F%2Fx",
            fault: .refused(code: "invalid_grant", explanation: "The code is wrong.")),
        AnswerExample(
            testDescription: "a 200 in JSON", status: 200, body: #"{"ok":false,"error":"invalid_scope"}"#,
            fault: .refused(code: "invalid_scope", explanation: "")),
        AnswerExample(
            testDescription: "the Graph API", status: 400,
            body: #"{"error":{"message":"Session has expired","type":"OAuthException","code":190,"data":[1]}}"#,
            fault: .refused(code: "invalid_grant", explanation: "Session has expired")),
        AnswerExample(
            testDescription: "a word that has the code in it", status: 400,
            body: #"{"error":"invalid_grant","error_description":"no c0de\n<b>s3cret</b>"}"#,
            fault: .refused(code: "invalid_grant", explanation: "no … <b>…</b>")),
        AnswerExample(
            testDescription: "in trouble", status: 400, body: #"{"error":"temporarily_unavailable"}"#,
            fault: .trouble(status: 400, after: nil)),
        AnswerExample(
            testDescription: "500 with a refusal", status: 500, body: #"{"error":"internal_failure"}"#,
            fault: .trouble(status: 500, after: nil)),
        AnswerExample(testDescription: "500", status: 500, body: "<html>", fault: .trouble(status: 500, after: nil)),
        AnswerExample(
            testDescription: "429", status: 429, body: #"{"error":"slow_down"}"#,
            fault: .trouble(status: 429, after: nil)),
        AnswerExample(
            testDescription: "a page", status: 200, body: "<html>a=b</html>", fault: .notUnderstood(status: 200)),
        AnswerExample(testDescription: "nothing", status: 200, body: "", fault: .notUnderstood(status: 200)),
        AnswerExample(testDescription: "no token", status: 200, body: "{}", fault: .notUnderstood(status: 200)),
        AnswerExample(
            testDescription: "no header can have it", status: 200, body: #"{"access_token":"a\r\nb"}"#,
            fault: .notUnderstood(status: 200)),
        AnswerExample(testDescription: "a redirect", status: 302, body: "", fault: .notUnderstood(status: 302)),
        AnswerExample(
            testDescription: "IBM's IAM", status: 400,
            body:
                #"{"errorCode":"BXNIM0415E","errorMessage":"Provided API key could not be found.","context":{"a":"b"}}"#,
            fault: .refused(code: "invalid_grant", explanation: "BXNIM0415E Provided API key could not be found.")),
        AnswerExample(
            testDescription: "deep", status: 200, body: String(repeating: "{\"a\":", count: 5000),
            fault: .notUnderstood(status: 200)),
    ]
}

@Suite struct `answers of token services` {
    private static let now = Timestamp(nanoseconds: 1_700_000_000_000_000_000)

    private func read(_ status: Int, _ body: String, separator: String = " ") throws(OAuthFault) -> OAuth2Grant {
        KnownSecrets.add("c0de")
        return try TokenAnswer.read(
            HTTPResponse(status: status, headers: [("Content-Type", "text/html")], body: Array(body.utf8)),
            client: OAuthClient(id: "c", secret: "s3cret"), separator: separator, now: Self.now)
    }

    @Test(arguments: AnswerExample.refusals)
    func `that say no are understood by what they say`(example: AnswerExample) {
        #expect(throws: example.fault) { try read(example.status, example.body) }
    }

    @Test(arguments: [
        (
            #"{"access_token":"at","token_type":"Bearer","expires_in":3600,"refresh_token":"rt","scope":"a b"}"#, 3600,
            "rt"
        ),
        (
            #"  {"access_token":"at","expires_in":"3600","refresh_token":"rt","scope":"a,b","x":[{"y":null}]}"#, 3600,
            "rt"
        ),
        (#"{"access_token":"at","expires_in":3600,"refresh_token":"not_supported","scope":"a b"}"#, 3600, nil),
        (#"{"access_token":"at","expires_in":3600.5,"refresh_token":"","scope":"a b"}"#, 3600, nil),
        ("access_token=at&expires_in=5183944&scope=a%2Cb\n", 5_183_944, nil),
        ("access_token=at&expires_in=0&scope=a+b", nil, nil),
        (#"{"access_token":"at","expires_in":-5,"scope":"a b","error":null}"#, nil, nil),
        (#"{"access_token":"at","expires_in":1e300,"scope":"a b"}"#, 315_360_000, nil),
    ])
    func `that give tokens are read whatever they call themselves`(body: String, life: Int64?, refresh: String?) throws
    {
        let grant = try read(200, body)
        #expect(grant.tokens.access == "at")
        #expect(grant.tokens.refresh == refresh)
        #expect(grant.tokens.expires.map { $0.seconds - Self.now.seconds } == life)
        #expect(grant.tokens.scopes == ["a", "b"])
        #expect(!"\(grant) \(String(reflecting: grant)) \(grant.tokens)".contains("at\""))
    }

    @Test func `are waited for as long as they say`() {
        let answer = HTTPResponse(status: 503, headers: [("Retry-After", "7")])
        #expect(throws: OAuthFault.trouble(status: 503, after: .seconds(7))) {
            try TokenAnswer.fields(of: answer, now: Self.now)
        }
    }

    @Test func `are kept and found again`() throws {
        let tokens = OAuth2Tokens(
            access: "a", refresh: "r", issued: Timestamp(nanoseconds: 1_000_000_000),
            expires: Timestamp(nanoseconds: 5_000_000_000), scopes: ["x", "y"])
        var secrets = ["client_id": "c", "access_token": "old"]
        tokens.write(to: &secrets)
        #expect(OAuth2Tokens(secrets) == tokens)
        #expect(Set(secrets.keys) == OAuth2Tokens.names.union(["client_id"]))
        OAuth2Tokens(access: "b").write(to: &secrets)
        #expect(secrets == ["client_id": "c", "access_token": "b"])
        #expect(OAuth2Tokens(["access_token": ""]) == nil)
        #expect(OAuth2Tokens(["access_token": "a", "access_token_expires": "never"])?.expires == nil)
    }

    /// Life and what is left of it in seconds, the size of what is sent in MiB, and whether that calls for a new token.
    @Test(arguments: [
        (3600, 3599, 0, false), (3600, 361, 0, false), (3600, 359, 0, true), (300, 61, 0, false), (300, 59, 0, true),
        (100, 51, 0, false), (100, 49, 0, true), (2, 2, 0, false), (2, 0, 0, true), (3600, -5, 0, true),
        (3600, 1000, 900, false), (3600, 1000, 1100, true), (3600, 2000, 100_000, false), (3600, 1700, 100_000, true),
    ])
    func `are renewed in time`(life: Int64, left: Int64, megabytes: Int64, isNear: Bool) {
        let now = Self.now
        let expires = now.advanced(by: .seconds(left))
        let tokens = OAuth2Tokens(
            access: "a", issued: expires.advanced(by: .seconds(-life)), expires: expires)
        #expect(tokens.isNearEnd(at: now, sending: megabytes << 20) == isNear)
    }
}
