import Submit
import SubmitHTTP
import Testing

@testable import SubmitSignIn

@Suite struct `a request for a code` {
    private static let service = OAuth2Service(
        authorizeURL: "https://h/auth?tenant=a", tokenURL: "https://h/token", issuer: "https://h",
        scopes: ["up load", "me"],
        extraAuthorize: [("access_type", "offline")])
    private static let redirect = "http://127.0.0.1:4711/callback"

    private let authorization = OAuth2Authorization(
        service, client: OAuthClient(id: "i d"), redirect: redirect, state: "st+ate",
        proofKey: PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))!

    @Test func `is a page that says all the service needs to know`() {
        #expect(
            authorization.url == "https://h/auth?tenant=a&response_type=code&client_id=i%20d"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback&scope=up%20load%20me&state=st%2Bate"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
                + "&access_type=offline")
        #expect(!"\(authorization) \(String(reflecting: authorization))".contains("st+ate"))
    }

    @Test func `has a state and a key of its own each time`() throws {
        let urls = try (0..<10).map { _ in
            try #require(OAuth2Authorization(Self.service, client: OAuthClient(id: "i"), redirect: nil)).url
        }
        #expect(Set(urls).count == 10)
        #expect(urls.allSatisfy { !$0.contains("redirect_uri") })
    }

    @Test(arguments: ["http://h/auth", "ftp://h/", "auth", ""])
    func `is none where the page is not safe`(page: String) {
        var service = Self.service
        service.authorizeURL = page
        #expect(OAuth2Authorization(service, client: OAuthClient(id: "i"), redirect: nil) == nil)
    }

    @Test(arguments: [
        "/callback?code=c%2Bd&state=st%2Bate", "/callback?state=st%2Bate&code=c%2Bd&iss=https%3A%2F%2Fh",
        "http://127.0.0.1:4711/callback?code=c%2Bd&state=st%2Bate#_=_", "/callback?code=c%2Bd&state=st%2Bate&scope=a+b",
    ])
    func `gets its code from the redirect`(url: String) throws {
        #expect(try authorization.code(redirected: url) == "c+d")
        #expect(try authorization.code(pasted: "  \(url)\n") == "c+d")
    }

    @Test(arguments: [
        "/callback?code=c", "/callback?code=c&state=wrong", "/callback?code=c&state=", "/callback", "",
        "/callback?code=c&state=st%2Bate&state=st%2Bate", "/callback?code=c&state=st%2Bate&iss=https%3A%2F%2Fevil",
        "/callback?code=c&code=d&state=st%2Bate", "/callback?code=&state=st%2Bate",
        "/callback?error=access_denied&state=x",
        "/callback?error=access_denied",
    ])
    func `takes no redirect that is not its own`(url: String) {
        #expect {
            try authorization.code(redirected: url)
        } throws: { error in
            if case .foreign = error as? OAuth2Authorization.Refusal { true } else { false }
        }
    }

    @Test func `hears who said no`() {
        let refusal = OAuth2Authorization.Refusal.refused(code: "access_denied", explanation: "No, st… not now")
        #expect(throws: refusal) {
            try authorization.code(
                redirected: "/c?error=access_denied&error_description=No%2C+st%E2%80%A6%0Anot+now&state=st%2Bate")
        }
    }

    @Test(arguments: [
        ("4/abc-d_e", "4/abc-d_e"), ("  4/abc\r\n", "4/abc"), ("code=x%2By&state=st%2Bate", "x+y"), ("code=xy", "xy"),
    ])
    func `gets its code pasted`(text: String, code: String) throws {
        #expect(try authorization.code(pasted: text) == code)
    }

    @Test(arguments: [
        "", "two words", "https://h/", "https://h/?state=wrong&code=x", "é", String(repeating: "x", count: 5000),
    ])
    func `takes nothing else that is pasted`(text: String) {
        #expect {
            try authorization.code(pasted: text)
        } throws: { error in
            if case .foreign = error as? OAuth2Authorization.Refusal { true } else { false }
        }
    }
}
