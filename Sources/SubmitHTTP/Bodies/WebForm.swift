/// Names and values as HTML forms send them, `application/x-www-form-urlencoded` (RFC 6749, appendix B).
public enum WebForm {
    /// A name with its value, decoded.
    public typealias Field = (name: String, value: String)

    /// The content type of such a body.
    public static let type = "application/x-www-form-urlencoded"

    /// One name or value: a blank becomes `+`, and all but the unreserved characters is percent-encoded.
    public static func encode(_ text: String) -> String {
        PercentEncoding.encode(text.utf8, keeping: [UInt8(ascii: " ")]).replacing(" ", with: "+")
    }

    /// `name=value&name=value`, in this order.
    public static func encode(_ fields: [Field]) -> String {
        fields.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// The fields of a form or of a URL's query, in their order. A name alone has an empty value, and what is no good
    /// escape stands for itself.
    public static func decode(_ text: some StringProtocol) -> [Field] {
        text.utf8.split(separator: UInt8(ascii: "&")).map { field in
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ bytes: some Collection<UInt8>) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                if let high = rest.first.flatMap(digit), let low = rest.dropFirst().first.flatMap(digit) {
                    decoded.append(high << 4 | low)
                    rest = rest.dropFirst(2)
                } else {
                    decoded.append(byte)
                }
            default: decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}

extension [WebForm.Field] {
    /// The value of the one field of this name; `nil` where there is none, or more than one.
    package subscript(only name: String) -> String? {
        let values = filter { $0.name == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }
}
