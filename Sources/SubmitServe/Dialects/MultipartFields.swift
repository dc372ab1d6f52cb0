internal import SubmitPlatform

/// What is told of a part of a form. It is read by bytes: what stands for a sign is one, whatever follows it.
struct MultipartFields: Equatable {
    let name: String
    /// `nil`: it is no file.
    let fileName: String?
    let type: String?

    /// `nil` where the lines are not written as fields.
    init?(_ bytes: some BidirectionalCollection<UInt8>) {
        var disposition: [String: String]?
        var type: String?
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard !line.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") }),
                let colon = line.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            let value = line[colon...].dropFirst()
            switch Self.text(line[..<colon]).lowercased() {
            case "content-disposition":
                guard disposition == nil, let parameters = Self.parameters(value) else { return nil }
                disposition = parameters
            case "content-type": type = Self.text(value).trimmed
            default: break
            }
        }
        guard let name = disposition?["name"] else { return nil }
        self.name = name
        fileName = disposition?["filename"]
        self.type = type
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// `form-data; name="…"; filename="…"`.
    private static func parameters(_ bytes: some Collection<UInt8>) -> [String: String]? {
        var rest = Array(bytes)[...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let kind = "form-data"
        guard text(rest.prefix(kind.utf8.count)).lowercased() == kind else { return nil }
        rest = rest.dropFirst(kind.utf8.count)
        var parameters: [String: String] = [:]
        while true {
            rest = rest.drop { $0 == UInt8(ascii: " ") }
            if rest.isEmpty { return parameters }
            guard rest.first == UInt8(ascii: ";") else { return nil }
            rest = rest.dropFirst().drop { $0 == UInt8(ascii: " ") }
            guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let key = text(rest[..<equals]).lowercased()
            rest = rest[equals...].dropFirst()
            guard rest.first == UInt8(ascii: "\""), parameters[key] == nil else { return nil }
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            parameters[key] = decoded(rest[..<end])
            rest = rest[end...].dropFirst()
        }
    }

    /// Only `%22`, `%0D` and `%0A` stand for others.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        let signs: [[UInt8]: UInt8] = [
            Array("22".utf8): UInt8(ascii: "\""), Array("0D".utf8): UInt8(ascii: "\r"),
            Array("0d".utf8): UInt8(ascii: "\r"), Array("0A".utf8): UInt8(ascii: "\n"),
            Array("0a".utf8): UInt8(ascii: "\n"),
        ]
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let sign = signs[Array(rest.prefix(2))] {
                decoded.append(sign)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return text(decoded)
    }
}
