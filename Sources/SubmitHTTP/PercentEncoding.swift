/// Percent-encoding (RFC 3986, section 2.1), with upper-case digits.
public enum PercentEncoding {
    /// Everything but the unreserved characters `A-Z a-z 0-9 - . _ ~` encoded: safe at any place of a URL, and the
    /// form that signatures are made over.
    public static func encode(_ text: String) -> String {
        text.utf8.allSatisfy(isUnreserved) ? text : encode(text.utf8, keeping: [])
    }

    /// The same for a path of segments, in which `/` stays.
    public static func encodePath(_ path: String) -> String {
        path.utf8.allSatisfy { isUnreserved($0) || $0 == UInt8(ascii: "/") }
            ? path : encode(path.utf8, keeping: [UInt8(ascii: "/")])
    }

    /// The same for any bytes and any ASCII characters to keep besides the unreserved ones.
    public static func encode(_ bytes: some Sequence<UInt8>, keeping kept: Set<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) || kept.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// RFC 3986, section 2.3.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
