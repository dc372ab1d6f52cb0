import Submit
import Testing

@testable import SubmitHTTP
@testable import SubmitSignIn

/// A published example of an OAuth 1.0a signature.
struct OAuth1Example: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let method: String
    let url: String
    var form: [WebForm.Field] = []
    let client: OAuthClient
    var token: OAuth1Token?
    let time: Int64
    let nonce: String
    var extra: [WebForm.Field] = []
    var hasVersion = false
    let signature: String

    private static let printer = OAuthClient(id: "dpf43f3p2l4k3l03", secret: "kd94hf93k423kf44")
    private static let lasting = OAuth1Token(token: "nnch734d00sl2jdk", secret: "pfkkdhi9sl3r4s00")
    private static let tweeting = OAuthClient(
        id: "xvz1evFS4wEEPTGEFPHBog", secret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw")

    private static func tweet(_ name: String, _ url: String, _ signature: String) -> OAuth1Example {
        OAuth1Example(
            testDescription: name, method: "POST", url: "\(url)?include_entities=true",
            form: [("status", "Hello Ladies + Gentlemen, a signed OAuth request!")], client: tweeting,
            token: OAuth1Token(
                token: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
                secret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE"),
            time: 1_318_622_958, nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", hasVersion: true,
            signature: signature)
    }

    /// RFC 5849, section 3.4.1. The signature that the RFC prints for it is wrong (erratum 2550).
    static let request = OAuth1Example(
        testDescription: "RFC 5849 3.4.1", method: "POST",
        url: "http://example.com/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b", form: WebForm.decode("c2&a3=2+q"),
        client: OAuthClient(id: "9djdj82h48djs9d2", secret: "j49sk3j29djd"),
        token: OAuth1Token(token: "kkk9d7dh3k39sjv7", secret: "dh893hdasih9"), time: 137_131_201, nonce: "7d8f3e4a",
        signature: "r6/TJjbCOr97/+UU0NsvSne7s5g=")

    static let all = [
        request,
        OAuth1Example(
            testDescription: "RFC 5849 1.2, temporary token", method: "POST",
            url: "https://photos.example.net/initiate",
            client: printer, time: 137_131_200, nonce: "wIjqoS",
            extra: [("oauth_callback", "http://printer.example.com/ready")], signature: "74KNZJeDHnMBp0EMJ9ZHt/XKycU="),
        OAuth1Example(
            testDescription: "RFC 5849 1.2, token", method: "POST", url: "https://photos.example.net/token",
            client: printer, token: OAuth1Token(token: "hh5s93j4hdidpola", secret: "hdhd0244k9j7ao03"),
            time: 137_131_201, nonce: "walatlh", extra: [("oauth_verifier", "hfdp7dh39dks9884")],
            signature: "gKgrFCywp7rO0OXSjdot/IHF7IU="),
        OAuth1Example(
            testDescription: "RFC 5849 1.2, photo", method: "GET",
            url: "http://photos.example.net/photos?file=vacation.jpg&size=original", client: printer, token: lasting,
            time: 137_131_202, nonce: "chapoH", signature: "MdpQcU8iPSUjWoN/UDMsK2sui9I="),
        OAuth1Example(
            testDescription: "OAuth Core 1.0, appendix A", method: "GET",
            url: "http://photos.example.net/photos?file=vacation.jpg&size=original", client: printer, token: lasting,
            time: 1_191_242_096, nonce: "kllo9940pd9333jh", hasVersion: true, signature: "tR3+Ty81lMeYAr/Fid0kMTYa/WM="),
        tweet("X", "https://api.x.com/1.1/statuses/update.json", "Ls93hJiZbQ3akF3HF3x1Bz8/zU4="),
        tweet("X, before", "https://api.twitter.com/1.1/statuses/update.json", "hCtSmYh+iHYCEqBWrE7C7hYmtUk="),
        tweet("X, at first", "https://api.twitter.com/1/statuses/update.json", "tnnArxj06cWHq44gCs1OSKk/jLY="),
        OAuth1Example(
            testDescription: "oauth-sign", method: "POST", url: "https://api.twitter.com/oauth/request_token",
            client: OAuthClient(id: "GDdmIQH6jhtmLUypg82g", secret: "MCD8BKwGdgPHvAuvgvz4EQpqDAtx89grbuNMRd7Eh98"),
            time: 1_272_323_042, nonce: "QP70eNmVz8jvdPevU3oJD2AfF7R7odC2XJcn4XlZJqk",
            extra: [("oauth_callback", "http://localhost:3005/the_dance/process_callback?service_provider_id=11")],
            hasVersion: true, signature: "8wUi7m5HFQy76nowoCThusfgB+Q="),
    ]

    /// The parameters of an `Authorization` header, decoded.
    func parameters(_ header: String) -> [String: String] {
        var parser = ChallengeParser(header)
        let decoded = parser.challenges().first?.parameters ?? [:]
        return decoded.mapValues { WebForm.decode("v=" + $0).first?.value ?? "" }
    }
}

@Suite struct `OAuth 1.0a signatures` {
    @Test(arguments: OAuth1Example.all)
    func `are the published ones`(example: OAuth1Example) {
        let signer = OAuth1Signer(example.client, token: example.token, sendsVersion: example.hasVersion)
        let header = signer.authorization(
            method: example.method, url: example.url, fields: example.form, extra: example.extra,
            at: Timestamp(nanoseconds: example.time * 1_000_000_000), nonce: example.nonce)
        #expect(header.hasPrefix("OAuth oauth_consumer_key=\"\(example.client.id)\", "))
        let parameters = example.parameters(header)
        #expect(parameters["oauth_signature"] == example.signature)
        #expect(parameters["oauth_token"] == example.token?.token)
        #expect(parameters["oauth_nonce"] == example.nonce && parameters["oauth_timestamp"] == String(example.time))
        #expect(!header.contains(example.client.secret ?? "-"))
    }

    private static let baseString =
        "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26"
        + "c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26"
        + "oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7"

    @Test func `are made over the published text`() {
        let example = OAuth1Example.request
        let text = OAuth1Signature.baseString(
            method: example.method, url: example.url,
            parameters: example.form + [
                ("oauth_consumer_key", example.client.id), ("oauth_token", "kkk9d7dh3k39sjv7"),
                ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131201"), ("oauth_nonce", "7d8f3e4a"),
            ])
        #expect(text == Self.baseString)
    }

    /// The secrets and signatures of oauthlib's `tests/oauth1/rfc5849/test_signatures.py`.
    @Test(arguments: [
        (OAuth1Signature.Method.hmacSHA1, "wsdNmjGB7lvis0UJuPAmjvX/PXw="),
        (.hmacSHA256, "wdfdHUKXHbOnOGZP8WFAWMSAmWzN3EVBWWgXGlC/Eo4="),
        (.plaintext, "ECrDNoq1VYzzzzzzzzzyAK7TwZNtPnkqatqZZZZ&just-a-string%20%20%20%20asdasd"),
    ])
    func `are the published ones of each method`(method: OAuth1Signature.Method, signature: String) {
        let made = OAuth1Signature.signature(
            of: Self.baseString, clientSecret: "ECrDNoq1VYzzzzzzzzzyAK7TwZNtPnkqatqZZZZ",
            tokenSecret: "just-a-string    asdasd", method: method)
        #expect(made == signature)
    }

    @Test(arguments: [
        ("HTTPS://Photos.Example.Net:443/a", "https%3A%2F%2Fphotos.example.net%2Fa"),
        ("http://h:80?x", "http%3A%2F%2Fh%2F"), ("http://h:8080/%7Ea%2Fb", "http%3A%2F%2Fh%3A8080%2F%257Ea%252Fb"),
        ("https://h:80/", "https%3A%2F%2Fh%3A80%2F"),
    ])
    func `name the place without what is understood`(url: String, encoded: String) {
        let parts = OAuth1Signature.baseString(method: "get", url: url, parameters: []).split(
            separator: "&", omittingEmptySubsequences: false)
        #expect(parts[0] == "GET" && parts[1] == encoded)
    }

    @Test func `take a new nonce each time`() {
        let signer = OAuth1Signer(OAuthClient(id: "i", secret: "s"), token: nil)
        let headers = (0..<20).map { _ in signer.authorization(method: "GET", url: "https://h/", at: .now) }
        #expect(Set(headers).count == 20)
    }
}
