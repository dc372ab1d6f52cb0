import SubmitHTTP
import Testing

private typealias Challenge = AuthenticationChallenge

struct AuthenticationChallengeTests {
    @Test(arguments: [
        ("Basic", [Challenge(scheme: "basic")]),
        ("  basic realm=\"a\" ", [Challenge(scheme: "basic", parameters: ["realm": "a"])]),
        // RFC 9110, section 11.6.1.
        (
            "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"",
            [
                Challenge(scheme: "basic", parameters: ["realm": "simple"]),
                Challenge(
                    scheme: "newauth", parameters: ["realm": "apps", "type": "1", "title": "Login to \"apps\""]),
            ]
        ),
        (
            "Negotiate, NTLM , Digest realm = \"a, b=c\\\\\" ,, NONCE=\"n\",",
            [
                Challenge(scheme: "negotiate"), Challenge(scheme: "ntlm"),
                Challenge(scheme: "digest", parameters: ["realm": "a, b=c\\", "nonce": "n"]),
            ]
        ),
        (
            "Negotiate YWJj/+==, Bearer",
            [Challenge(scheme: "negotiate", token68: "YWJj/+=="), Challenge(scheme: "bearer")]
        ),
        (
            "Digest realm=r, nonce=YWJj/+==",
            [Challenge(scheme: "digest", parameters: ["realm": "r", "nonce": "YWJj/+=="])]
        ),
        ("Digest realm=\"a\", realm=\"b\"", [Challenge(scheme: "digest", parameters: ["realm": "a"])]),
        ("Digest, realm=\"a\"", [Challenge(scheme: "digest", parameters: ["realm": "a"])]),
        ("Digest realm=\"é 東\"", [Challenge(scheme: "digest", parameters: ["realm": "é 東"])]),
    ])
    func `challenges are read with their parameters`(value: String, challenges: [AuthenticationChallenge]) {
        #expect(Challenge.parse(value) == challenges)
    }

    @Test(arguments: [
        "", " , ,", "=", "\"Basic\"", "Basic realm=\"open", "Basic realm=\"a\\", "Digest nonce=n, realm=",
        "Basic realm=\"a\"b",
        "Basic realm \"a\"", "Basic=a", "Basic \"a\"", "@ a=b", "Basic@ realm=a",
    ])
    func `what makes no sense is no challenge`(value: String) {
        #expect(AuthenticationChallenge.parse(value).isEmpty)
    }

    @Test(arguments: ["Basic realm=\"a\"b, Digest realm=\"c\"", "@@ \", Basic \" x, Digest realm=\"c\""])
    func `what comes after nonsense is read`(value: String) {
        #expect(AuthenticationChallenge.parse(value) == [Challenge(scheme: "digest", parameters: ["realm": "c"])])
    }

    @Test func `all headers count, in their order`() {
        let response = HTTPResponse(
            status: 401,
            headers: [
                ("WWW-Authenticate", "Digest realm=\"a\""), ("X", "y"), ("www-authenticate", "Basic, Bearer"),
            ])
        #expect(response.authenticationChallenges.map(\.scheme) == ["digest", "basic", "bearer"])
    }

    @Test func `a hostile header ends soon`() {
        for part in [
            "a ", "a,", "a=b,", "\"", "\\", "a=\"", "=", ",", "a=\"\\\"", "Digest a=b, ", "a  =", "\u{0}\u{7f}é",
        ] {
            let challenges = AuthenticationChallenge.parse(String(repeating: part, count: 20_000))
            #expect(challenges.count <= 32 && challenges.allSatisfy { $0.parameters.count <= 32 })
        }
        let many = (0..<100).map { "a\($0)=b" }.joined(separator: ", ")
        #expect(AuthenticationChallenge.parse("Digest \(many)").first?.parameters.count == 32)
    }

    /// Every prefix and every loss of one byte of a header that has everything.
    @Test func `a header cut anywhere is read without harm`() {
        let whole = Array(
            "Negotiate YQ==, Digest realm=\"a\\\"b, c\", nonce = n/=, qop=\"auth,auth-int\", Basic realm=x".utf8)
        for index in whole.indices {
            for bytes in [Array(whole[..<index]), Array(whole[..<index] + whole[(index + 1)...])] {
                #expect(AuthenticationChallenge.parse(String(decoding: bytes, as: UTF8.self)).count <= 6)
            }
        }
    }
}
