internal import Crypto

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

    /// A stranger's word for what went wrong, fit for a sentence and to be compared: what looks like a secret only
    /// because the secret is short is none.
    static func quoted(code: String, hiding secrets: [String?]) -> String {
        quoted(code, hiding: secrets.filter { ($0?.utf8.count ?? 0) >= 8 })
    }

    /// A stranger's text, fit for a sentence: short, on one line, without these secrets.
    static func quoted(_ text: String, hiding secrets: [String?]) -> String {
        let known = secrets.compactMap { $0 }.filter { !$0.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
        let redacted = known.reduce(text) { $0.replacing($1, with: "…") }
        let shown = redacted.unicodeScalars.prefix(200).map { scalar in
            let isControl =
                scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
            return isControl ? " " : scalar
        }
        return String(String.UnicodeScalarView(shown))
    }
}
