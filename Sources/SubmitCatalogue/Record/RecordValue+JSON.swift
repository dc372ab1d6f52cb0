extension RecordValue {
    /// JSON on one line (RFC 8259). What would end a line, steer a terminal or turn the direction of writing is written as `\u`,
    /// which reads as the same text.
    public var json: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .truth(let isTrue): text += isTrue ? "true" : "false"
        case .number(let digits): text += digits
        case .text(let own): Self.write(own, to: &text)
        case .list(let values):
            text += "["
            for (number, value) in values.enumerated() {
                if number > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (number, member) in members.enumerated() {
                if number > 0 { text += "," }
                Self.write(member.name, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func write(_ own: String, to text: inout String) {
        text += "\""
        for scalar in own.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.steersTerminals:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension Unicode.Scalar {
    /// Controls, line and paragraph separators, and what turns the direction of writing (Unicode Standard Annex 9). What joins emoji
    /// and letters is none of them.
    var steersTerminals: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
