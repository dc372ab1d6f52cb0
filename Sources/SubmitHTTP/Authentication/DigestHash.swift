internal import Crypto
internal import Submit

/// The hash functions of Digest that servers use (RFC 7616, section 6.1), the weaker first.
enum DigestHash: Int, Sendable, Comparable {
    case md5
    case sha256

    static func < (one: DigestHash, other: DigestHash) -> Bool { one.rawValue < other.rawValue }

    /// In lower-case hexadecimal.
    func digest(of text: String) -> String {
        let bytes = Array(text.utf8)
        return switch self {
        case .md5: Hexadecimal.text(of: Insecure.MD5.hash(data: bytes))
        case .sha256: Hexadecimal.text(of: SHA256.hash(data: bytes))
        }
    }
}
