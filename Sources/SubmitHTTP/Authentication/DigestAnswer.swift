internal import Submit
internal import Foundation

/// The answer to a Digest challenge: pure functions, without state (RFC 7616, section 3.4).
///
/// libcurl could do it as well, but sends each new upload with an empty body first and forgets the nonce with its
/// handle; with it, every photo would take two requests.
struct DigestAnswer {
    var challenge: DigestChallenge
    var user: String
    /// Made once by ``key(_:user:password:cnonce:hash:)``.
    var key: String
    /// In place of the challenge's own where the server has named another since.
    var nonce: String
    /// How often the nonce was used, this time included.
    var count: UInt32
    /// Ours.
    var cnonce: String

    /// The digest of A1 (section 3.4.2): it stands for the password.
    ///
    /// - Parameter cnonce: that of the first answer, for algorithms that end in `-sess`.
    static func key(
        _ challenge: DigestChallenge, user: String, password: String, cnonce: String, hash: (String) -> String
    ) -> String {
        let user = normalised(user, challenge)
        let key = hash("\(user):\(challenge.realm):\(normalised(password, challenge))")
        return challenge.isSession ? hash("\(key):\(challenge.nonce):\(cnonce)") : key
    }

    /// The value of `Authorization` for one request.
    ///
    /// - Parameter target: the URL's path and query as they are sent.
    func header(method: String, target: String, hash: (String) -> String) -> String {
        var fields: [String] = []
        fields += userFields(hash: hash)
        fields.append("realm=\(Self.quoted(challenge.realm))")
        fields.append("nonce=\(Self.quoted(nonce))")
        fields.append("uri=\(Self.quoted(target))")
        fields.append("response=\"\(response(method: method, target: target, hash: hash))\"")
        if let algorithm = challenge.algorithm { fields.append("algorithm=\(algorithm)") }
        // Without qop there is no cnonce either, but the key of a session is made with one.
        if challenge.hasQualityOfProtection || challenge.isSession { fields.append("cnonce=\"\(cnonce)\"") }
        if challenge.hasQualityOfProtection { fields += ["qop=auth", "nc=\(countText)"] }
        if let opaque = challenge.opaque { fields.append("opaque=\(Self.quoted(opaque))") }
        return "Digest " + fields.joined(separator: ", ")
    }

    /// Section 3.4.1; without qop RFC 2617, section 3.2.2.1.
    func response(method: String, target: String, hash: (String) -> String) -> String {
        let request = hash("\(method):\(target)")
        return challenge.hasQualityOfProtection
            ? hash("\(key):\(nonce):\(countText):\(cnonce):auth:\(request)") : hash("\(key):\(nonce):\(request)")
    }

    /// Sections 3.4 and 3.4.4: hashed, in quotes, or encoded (RFC 8187) where quotes may hold ASCII only.
    private func userFields(hash: (String) -> String) -> [String] {
        let user = Self.normalised(user, challenge)
        if challenge.hashesUser {
            return ["username=\"\(hash("\(user):\(challenge.realm)"))\"", "userhash=true"]
        }
        let isPlain = user.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        return [
            isPlain || !challenge.isUTF8
                ? "username=\(Self.quoted(user))" : "username*=UTF-8''\(PercentEncoding.encode(user))"
        ]
    }

    private var countText: String {
        let digits = String(count, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// In the form NFC where the server speaks of UTF-8 (section 4).
    private static func normalised(_ text: String, _ challenge: DigestChallenge) -> String {
        challenge.isUTF8 ? text.precomposedStringWithCanonicalMapping : text
    }

    /// RFC 9110, section 5.6.4.
    private static func quoted(_ text: String) -> String {
        "\"\(text.escaping(.ofBackslashes))\""
    }
}
