/// A challenge of the Digest scheme that can be answered (RFC 7616, section 3.3; without qop: RFC 2617, section
/// 3.2.2.1).
///
/// Not SHA-512-256: the RFC and its erratum disagree on what it is, and nobody asks for it alone.
struct DigestChallenge: Sendable, Hashable {
    var realm: String
    var nonce: String
    var opaque: String?
    var hash: DigestHash
    /// The key is bound to the first nonce (`-sess`).
    var isSession: Bool
    /// As the server wrote it; `nil` where it left it out, which means MD5.
    var algorithm: String?
    /// The server takes `qop=auth`; else it knows no qop at all.
    var hasQualityOfProtection: Bool
    /// The user's name is to be hashed.
    var hashesUser: Bool
    var isUTF8: Bool
    /// What the last answer was about was right but for its nonce.
    var isStale: Bool

    /// The longest value that is sent back.
    private static let limit = 4096

    /// `nil` for another scheme, an algorithm or a qop that is not known here, and values that cannot be sent back.
    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"],
            !nonce.isEmpty, [realm, nonce, parameters["opaque"] ?? ""].allSatisfy(Self.canBeSent)
        else { return nil }
        switch parameters["algorithm"]?.lowercased() {
        case nil, "md5": (hash, isSession) = (.md5, false)
        case "md5-sess": (hash, isSession) = (.md5, true)
        case "sha-256": (hash, isSession) = (.sha256, false)
        case "sha-256-sess": (hash, isSession) = (.sha256, true)
        default: return nil
        }
        let qualities = (parameters["qop"] ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        hasQualityOfProtection = qualities.contains("auth")
        guard hasQualityOfProtection || qualities.isEmpty else { return nil }
        self.realm = realm
        self.nonce = nonce
        opaque = parameters["opaque"]
        algorithm = parameters["algorithm"]
        hashesUser = parameters["userhash"]?.lowercased() == "true"
        isUTF8 = parameters["charset"]?.lowercased() == "utf-8"
        isStale = parameters["stale"]?.lowercased() == "true"
    }

    /// Whether it can stand in quotes in a header of reasonable length.
    static func canBeSent(_ value: String) -> Bool {
        value.utf8.count <= limit && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }
}
