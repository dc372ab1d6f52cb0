/// Reads challenges and their parameters (RFC 9110, sections 11.2 and 11.6.1) in one pass over the bytes.
///
/// A comma separates both challenges and parameters: a word with `=` behind it is a parameter, and one without is the
/// next scheme.
struct ChallengeParser {
    private let bytes: [UInt8]
    private var position = 0

    /// Challenges of a header, and parameters of a challenge.
    static let limit = 32

    init(_ value: String) {
        bytes = Array(value.utf8)
    }

    mutating func challenges() -> [AuthenticationChallenge] {
        var found: [AuthenticationChallenge] = []
        skipSeparators()
        while position < bytes.count, found.count < Self.limit {
            guard let scheme = token() else {
                skipToComma()
                skipSeparators()
                continue
            }
            var challenge = AuthenticationChallenge(scheme: scheme.lowercased())
            var isSound = position == bytes.count || peek == comma || isBlank(peek)
            skipBlanks()
            if isSound, let token68 = token68() {
                challenge.token68 = token68
            } else if isSound, peek != comma {
                // What follows without a comma must be a parameter; with one it may be the next scheme.
                isSound = position == bytes.count || parameterFollows
            }
            if !isSound { skipToComma() }
            let areSound = parameters(into: &challenge.parameters)
            if isSound && areSound { found.append(challenge) }
        }
        return found
    }

    /// The parameters of a header that has nothing else, as `Authentication-Info` (RFC 7615, section 3).
    mutating func parameters() -> [String: String] {
        var parameters: [String: String] = [:]
        _ = self.parameters(into: &parameters)
        return parameters
    }

    /// Reads parameters up to the next scheme. False when one of them makes no sense.
    private mutating func parameters(into parameters: inout [String: String]) -> Bool {
        var areSound = true
        skipSeparators()
        while position < bytes.count {
            // At a word that begins the next challenge, or at something that is no word.
            guard parameterFollows else {
                if isToken(peek) { return areSound }
                areSound = false
                skipToComma()
                skipSeparators()
                continue
            }
            let name = token()?.lowercased() ?? ""
            skipBlanks()
            position += 1
            skipBlanks()
            let value = peek == quote ? quoted() : bare()
            skipBlanks()
            if let value, position == bytes.count || peek == comma {
                if parameters[name] == nil, parameters.count < Self.limit { parameters[name] = value }
            } else {
                areSound = false
                skipToComma()
            }
            skipSeparators()
        }
        return areSound
    }

    /// Whether a word with `=` behind it stands here.
    private var parameterFollows: Bool {
        var ahead = self
        guard ahead.token() != nil else { return false }
        ahead.skipBlanks()
        return ahead.peek == UInt8(ascii: "=")
    }

    // MARK: Words

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func token() -> String? {
        let start = position
        while isToken(peek) { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// The text between quotes, with its `\` taken away; `nil` where the second quote is missing.
    private mutating func quoted() -> String? {
        var text: [UInt8] = []
        position += 1
        while let byte = peek {
            position += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte == backslash, let next = peek {
                text.append(next)
                position += 1
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    /// A value without quotes: more than a word may be, as some servers forget the quotes of a nonce in base64.
    private mutating func bare() -> String? {
        let start = position
        while let byte = peek, byte != comma, byte != quote, !isBlank(byte) { position += 1 }
        return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
    }

    /// A word of another kind that stands alone before the next comma. Leaves everything where it is if there is none.
    private mutating func token68() -> String? {
        let start = position
        while let byte = peek, isToken68(byte) { position += 1 }
        let end = position
        while peek == UInt8(ascii: "=") { position += 1 }
        let text = bytes[start..<position]
        skipBlanks()
        if end > start, position == bytes.count || peek == comma { return String(decoding: text, as: UTF8.self) }
        position = start
        return nil
    }

    private mutating func skipBlanks() {
        while isBlank(peek) { position += 1 }
    }

    private mutating func skipSeparators() {
        while isBlank(peek) || peek == comma { position += 1 }
    }

    /// To the next comma that stands in no quotes.
    private mutating func skipToComma() {
        while let byte = peek, byte != comma {
            if byte == quote { _ = quoted() } else { position += 1 }
        }
    }

    private var comma: UInt8 { UInt8(ascii: ",") }
    private var quote: UInt8 { UInt8(ascii: "\"") }
    private var backslash: UInt8 { UInt8(ascii: "\\") }

    private func isBlank(_ byte: UInt8?) -> Bool { byte == 32 || byte == 9 }

    /// RFC 9110, section 5.6.2.
    private func isToken(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// RFC 9110, section 11.2.
    private func isToken68(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "-._~+/".utf8.contains(byte) }

    private func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
