internal import Crypto
internal import SubmitHTTP

/// What secret texts are made of and how they are compared.
enum SecretText {
    /// Base64 for URLs, without padding (RFC 4648, section 5).
    static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Base64.text(of: bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Text that nobody guesses: 256 bits, as 43 characters of `A-Za-z0-9-_`.
    static func random() -> String { base64URL(randomBytes(32)) }

    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Whether two texts are the same, in a time that does not tell how much of them is.
    static func areSame(_ a: String, _ b: String) -> Bool {
        SHA256.hash(data: Array(a.utf8)) == SHA256.hash(data: Array(b.utf8))
    }

    /// Whether it can stand in a header as a token does: printable ASCII without blanks, and not endless.
    static func isToken(_ text: String) -> Bool {
        (1...16384).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
