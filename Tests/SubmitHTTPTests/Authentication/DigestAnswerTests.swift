import Crypto
import Submit
import Testing

@testable import SubmitHTTP

/// The published examples of Digest, and what no RFC has an example of against sums made with other tools.
struct DigestAnswerTests {
    private func challenge(_ parameters: String) throws -> DigestChallenge {
        let challenge = try #require(AuthenticationChallenge.parse("Digest \(parameters)").first)
        return try #require(DigestChallenge(challenge))
    }

    private func parameters(_ header: String) throws -> [String: String] {
        let challenge = try #require(AuthenticationChallenge.parse(header).first)
        #expect(challenge.scheme == "digest")
        return challenge.parameters
    }

    private func header(
        _ challenge: DigestChallenge, _ user: String, _ password: String, _ target: String, cnonce: String,
        count: UInt32 = 1, hash: ((String) -> String)? = nil
    ) -> String {
        let hash = hash ?? challenge.hash.digest
        let key = DigestAnswer.key(challenge, user: user, password: password, cnonce: cnonce, hash: hash)
        let answer = DigestAnswer(
            challenge: challenge, user: user, key: key, nonce: challenge.nonce, count: count, cnonce: cnonce)
        return answer.header(method: "GET", target: target, hash: hash)
    }

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func `RFC 7616, section 3.9.1`(algorithm: String, response: String) throws {
        let challenge = try challenge(
            """
            realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """)
        let header = header(
            challenge, "Mufasa", "Circle of Life", "/dir/index.html",
            cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(
            try parameters(header) == [
                "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html",
                "algorithm": algorithm, "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "nc": "00000001",
                "cnonce": "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "qop": "auth", "response": response,
                "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
            ])
        // Apache and RFC 7616 want these without quotes.
        #expect(header.contains(", qop=auth, nc=00000001,") && header.contains(", algorithm=\(algorithm),"))
    }

    /// The values of the RFC are those of SHA-512 cut off after 256 bits, which is not what SHA-512/256 is (erratum
    /// 4897): one more reason to skip the algorithm. The rest of the example is good.
    @Test func `RFC 7616, section 3.9.2`() throws {
        var challenge = try challenge(
            """
            realm="api@example.org", qop="auth", algorithm=SHA-256, charset=UTF-8, userhash=true, \
            nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS"
            """)
        challenge.algorithm = "SHA-512-256"
        // In the form NFD, which is to be made NFC.
        let header = header(
            challenge, "Ja\u{308}s\u{f8}n Doe", "Secret, or not?", "/doe.json",
            cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
        ) { Hexadecimal.text(of: SHA512.hash(data: Array($0.utf8)).prefix(32)) }
        let parameters = try parameters(header)
        #expect(parameters["username"] == "488869477bf257147b804c45308cd62ac4e25eb717b12b298c79e62dcea254ec")
        #expect(parameters["response"] == "ae66e67d6b427bd3f120414a82e4acff38e8ecd9101d6c861229025f607a79dd")
        #expect(parameters["userhash"] == "true" && parameters["algorithm"] == "SHA-512-256")
    }

    @Test func `RFC 2617, section 3.5`() throws {
        let challenge = try challenge(
            """
            realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            opaque="5ccc069c403ebaf9f0171e9517f40e41"
            """)
        let header = header(challenge, "Mufasa", "Circle Of Life", "/dir/index.html", cnonce: "0a4f113b")
        let parameters = try parameters(header)
        #expect(parameters["response"] == "6629fae49393a05397450978507c4ef1")
        #expect(parameters["opaque"] == "5ccc069c403ebaf9f0171e9517f40e41" && parameters["algorithm"] == nil)
    }

    /// The example of RFC 2069 as erratum 749 corrects it.
    @Test func `without qop there is neither nc nor cnonce`() throws {
        let challenge = try challenge(
            """
            realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
            opaque="5ccc069c403ebaf9f0171e9517f40e41"
            """)
        let header = header(challenge, "Mufasa", "CircleOfLife", "/dir/index.html", cnonce: "0a4f113b")
        let parameters = try parameters(header)
        #expect(parameters["response"] == "1949323746fe6a43ef61f9606e7febea")
        #expect(parameters["nc"] == nil && parameters["cnonce"] == nil && parameters["qop"] == nil)
    }

    /// Sums by Python's hashlib.
    @Test(arguments: [
        ("MD5-sess", "ae3cc723a7c7e14b427c000238629d60"),
        ("SHA-256-sess", "2fa91c19dec7ec3589240ea4d57f48ee4c699bcef57e9646540b60b8a8cac453"),
        ("md5", "427782a886db4d197208ee88e92c1834"),
    ])
    func `sessions, and other counts than 1`(algorithm: String, response: String) throws {
        let challenge = try challenge("realm=\"r\", nonce=\"n\", qop=auth, algorithm=\(algorithm)")
        let header = header(challenge, "u", "p", "/a%20b?c=d", cnonce: "c", count: 0x1af)
        let parameters = try parameters(header)
        #expect(parameters["response"] == response && parameters["nc"] == "000001af")
    }

    @Test(arguments: [
        ("a\"b\\c", "", "username=\"a\\\"b\\\\c\""), ("Jäsøn", "", "username=\"Jäsøn\""),
        ("Jäsøn", ", charset=utf-8", "username*=UTF-8''J%C3%A4s%C3%B8n"),
        ("plain", ", charset=UTF-8", "username=\"plain\""),
    ])
    func `the user's name is written so that it arrives`(user: String, more: String, field: String) throws {
        let challenge = try challenge("realm=\"r\\\"s\", nonce=\"n\", qop=\"auth\"\(more)")
        let header = header(challenge, user, "p", "/", cnonce: "c")
        #expect(header.hasPrefix("Digest \(field), realm=\"r\\\"s\", nonce=\"n\", uri=\"/\", "))
    }

    @Test(arguments: [
        "realm=\"r\"", "nonce=\"n\"", "realm=r, nonce=\"\"", "realm=r, nonce=n, algorithm=SHA-512-256",
        "realm=r, nonce=n, algorithm=MD4", "realm=r, nonce=n, qop=\"auth-int\"", "realm=\"a\tb\", nonce=n",
        "realm=\"\u{7f}\", nonce=n", "realm=r, nonce=\"\(String(repeating: "n", count: 5000))\"",
    ])
    func `a challenge that cannot be answered is skipped`(parameters: String) throws {
        let challenge = try #require(AuthenticationChallenge.parse("Digest \(parameters)").first)
        #expect(DigestChallenge(challenge) == nil)
    }
}
