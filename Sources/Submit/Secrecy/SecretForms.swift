/// The forms in which a secret is written by those who echo it.
enum SecretForms {
    /// Each that differs from those before it. None is empty.
    static func all(of secret: [UInt8]) -> [[UInt8]] {
        var forms = [secret]
        // What stands before it in the same base64, as a user's name does, moves it by a part of four characters.
        for offset in 0...2 {
            let form = base64(secret, after: offset)
            forms.append(form)
            if form.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }) {
                forms.append(
                    form.map {
                        $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
                    })
            }
        }
        let digits = Hexadecimal.text(of: secret)
        forms.append(Array(digits.utf8))
        if digits.utf8.contains(where: { $0 > UInt8(ascii: "9") }) { forms.append(Array(digits.uppercased().utf8)) }
        for form in [percent(secret), blanksAsPlus(secret), json(secret), xml(secret)]
        where !forms.contains(form) {
            forms.append(form)
        }
        return forms
    }

    /// Those characters that nothing but the secret decides, where `offset` bytes stand before it (RFC 4648, section
    /// 4).
    private static func base64(_ secret: [UInt8], after offset: Int) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let first = (offset * 8 + 5) / 6
        let end = (offset + secret.count) * 8 / 6
        return (first..<end).map { character in
            (0..<6).reduce(UInt8(0)) { bits, bit in
                let place = character * 6 + bit - offset * 8
                return bits << 1 | secret[place / 8] >> UInt8(7 - place % 8) & 1
            }
        }.map { alphabet[Int($0)] }
    }

    /// As HTML's forms have it, once their percent signs are gone.
    private static func blanksAsPlus(_ secret: [UInt8]) -> [UInt8] {
        secret.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
    }

    /// RFC 3986, section 2.1.
    private static func percent(_ secret: [UInt8]) -> [UInt8] {
        secret.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                [byte]
            default: Array("%\(Hexadecimal.text(of: [byte]).uppercased())".utf8)
            }
        }
    }

    private static func json(_ secret: [UInt8]) -> [UInt8] {
        secret.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
            case 0..<0x20: Array("\\u00\(Hexadecimal.text(of: [byte]))".utf8)
            default: [byte]
            }
        }
    }

    private static func xml(_ secret: [UInt8]) -> [UInt8] {
        secret.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "&"): Array("&amp;".utf8)
            case UInt8(ascii: "<"): Array("&lt;".utf8)
            case UInt8(ascii: ">"): Array("&gt;".utf8)
            case UInt8(ascii: "\""): Array("&quot;".utf8)
            case UInt8(ascii: "'"): Array("&apos;".utf8)
            default: [byte]
            }
        }
    }
}
