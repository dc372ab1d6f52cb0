internal import Crypto
internal import Submit
internal import SubmitHTTP

extension ExpressionFilter {
    /// What the filter's argument is, where it has one.
    var argument: String? {
        switch self {
        case .truncate, .pad: "n"
        case .join: "separator"
        default: nil
        }
    }

    /// What the filter makes of a value. Nothing stays nothing, but for `json` and `bool01`; of a list the filters that
    /// change a text make a list.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: a fault where the filter takes no such value, or makes too long a text of it.
    func apply(
        to value: RecipeValue, _ arguments: [RecipeValue], at place: RecipePlace, now: RecipeValue?
    ) throws(RecipeFault) -> RecipeValue {
        switch (self, value) {
        case (.json, _): return .text(try json(value, isASCII: false, place))
        case (.jsonASCII, _): return .text(try json(value, isASCII: true, place))
        case (.bool01, _): return .integer(value.isTrue ? 1 : 0)
        case (_, .null): return .null
        case (.join, _): return try join(value, arguments, place)
        case (.quoteTags, .list(let tags)): return try quoted(tags, place)
        case (.hashtags, .list(let tags)): return try hashtags(tags, place)
        case (.hashtags, _): return try hashtags([value], place)
        case (.iso8601, _), (.rfc1123, _), (.unix, _), (.seconds, _): return time(value, now: now)
        case (.int, .bool(let flag)): return .integer(flag ? 1 : 0)
        case (.int, .text(let text)): return RecipeValue.text(text.trimmed).asInteger.map(RecipeValue.integer) ?? .null
        case (.int, .integer): return value
        case (.base64, .bytes(let bytes)): return .text(Base64.text(of: bytes))
        case (.hex, .bytes(let bytes)): return .text(Hexadecimal.text(of: bytes))
        case (.url, .bytes(let bytes)): return .text(PercentEncoding.encode(bytes, keeping: []))
        case (_, .list(let elements)) where makesTextOfText:
            var changed: [RecipeValue] = []
            var room = RecipeValue.longestText
            for element in elements where element != .null {
                let text = try change(try text(element, place), arguments, place)
                room -= text.utf8.count
                guard room >= 0 else { throw tooLong(place) }
                changed.append(.text(text))
            }
            return .list(changed)
        case (.unhex, _): return .bytes(try unhex(try text(value, place), place))
        case (.quoteTags, _): return try quoted([value], place)
        default:
            guard makesTextOfText else {
                throw RecipeFault(place, "“\(rawValue)” cannot be made of \(value.kindName).")
            }
            let text = try change(try text(value, place), arguments, place)
            guard text.utf8.count <= RecipeValue.longestText else { throw tooLong(place) }
            return .text(text)
        }
    }

    private var makesTextOfText: Bool {
        switch self {
        case .url, .urlPath, .asGiven, .xml, .headerSafe, .base64, .hex, .lower, .upper, .trim, .truncate, .uuid,
            .basename, .pad,
            .md5, .sha1, .sha256:
            true
        default: false
        }
    }

    private func text(_ value: RecipeValue, _ place: RecipePlace) throws(RecipeFault) -> String {
        guard let text = value.asText else {
            throw RecipeFault(place, "“\(rawValue)” takes a text, and there is \(value.kindName).")
        }
        return text
    }

    private func tooLong(_ place: RecipePlace) -> RecipeFault {
        RecipeFault(place, "“\(rawValue)” makes a text of more than \(RecipeValue.longestText >> 20) MiB.")
    }

    private func count(_ arguments: [RecipeValue], most: Int64, _ place: RecipePlace) throws(RecipeFault) -> Int {
        guard let count = arguments.first?.asInteger, (0...most).contains(count) else {
            throw RecipeFault(place, "“\(rawValue)” takes a whole number from 0 to \(most).")
        }
        return Int(count)
    }

    private func change(_ text: String, _ arguments: [RecipeValue], _ place: RecipePlace) throws(RecipeFault) -> String
    {
        switch self {
        case .url: return PercentEncoding.encode(text)
        case .urlPath:
            let segments = text.split(separator: "/")
            guard !segments.contains(where: { $0 == "." || $0 == ".." }) else {
                throw RecipeFault(place, "“url_path” takes no path with “.” or “..” in it.")
            }
            return segments.map { PercentEncoding.encode(String($0)) }.joined(separator: "/")
        case .asGiven:
            guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"\"<>\\^`{|}#".utf8.contains($0) }),
                !text.contains("//")
            else {
                throw RecipeFault(
                    place, "“as_given” takes a part of a URL as the service gave it, without “//” and “#”.")
            }
            return text
        case .xml: return text.escapedForXML
        case .headerSafe: return text.safeInHeader
        case .base64: return Base64.text(of: text.utf8)
        case .hex: return Hexadecimal.text(of: text.utf8)
        case .lower: return text.lowercased()
        case .upper: return text.uppercased()
        case .trim: return text.trimmed
        case .truncate: return String(text.prefix(try count(arguments, most: 1_000_000, place)))
        case .uuid: return Self.uuid(of: text)
        case .basename: return text.split(separator: "/").last.map(String.init) ?? ""
        case .pad:
            let width = try count(arguments, most: 100, place)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        case .md5: return Hexadecimal.text(of: Insecure.MD5.hash(data: Array(text.utf8)))
        case .sha1: return Hexadecimal.text(of: Insecure.SHA1.hash(data: Array(text.utf8)))
        case .sha256: return Hexadecimal.text(of: SHA256.hash(data: Array(text.utf8)))
        default: return text
        }
    }

    /// Always the same one for the same text (RFC 9562, section 5.8).
    private static func uuid(of text: String) -> String {
        var bytes = Array(SHA256.hash(data: Array(text.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Hexadecimal.text(of: bytes)
        var uuid = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { uuid += "-" }
            uuid.append(digit)
        }
        return uuid
    }

    private func unhex(_ text: String, _ place: RecipePlace) throws(RecipeFault) -> [UInt8] {
        guard let bytes = Hexadecimal.bytes(of: text) else {
            throw RecipeFault(place, "“unhex” takes an even number of hexadecimal digits.")
        }
        return bytes
    }

    private func json(_ value: RecipeValue, isASCII: Bool, _ place: RecipePlace) throws(RecipeFault) -> String {
        var writer = JSONWriter(isASCII: isASCII, place: place)
        try writer.write(value)
        return writer.text
    }

    private func join(_ value: RecipeValue, _ arguments: [RecipeValue], _ place: RecipePlace) throws(RecipeFault)
        -> RecipeValue
    {
        guard let separator = arguments.first?.asText else {
            throw RecipeFault(place, "“join” takes a text to put between.")
        }
        guard case .list(let elements) = value else { return .text(try text(value, place)) }
        return try joined(elements, separator, place) { (text: String) in text }
    }

    /// As Flickr takes tags: with spaces between, those of several words in quotation marks.
    private func quoted(_ tags: [RecipeValue], _ place: RecipePlace) throws(RecipeFault) -> RecipeValue {
        try joined(tags, " ", place) { (tag: String) in
            let tag = tag.filter { $0 != "\"" }.trimmed
            return tag.contains { $0.isWhitespace || $0 == "," } ? "\"\(tag)\"" : tag
        }
    }

    private func joined(
        _ elements: [RecipeValue], _ separator: String, _ place: RecipePlace, change: (String) -> String
    ) throws(RecipeFault) -> RecipeValue {
        var text = ""
        for element in elements where !element.isNothing {
            let more = change(try self.text(element, place))
            guard text.utf8.count + more.utf8.count + separator.utf8.count <= RecipeValue.longestText else {
                throw tooLong(place)
            }
            text += (text.isEmpty || more.isEmpty ? "" : separator) + more
        }
        return .text(text)
    }

    /// `#sea #oldTown`: letters, digits and `_` of each tag, its words joined.
    private func hashtags(_ tags: [RecipeValue], _ place: RecipePlace) throws(RecipeFault) -> RecipeValue {
        try joined(tags, " ", place) { (tag: String) in
            let words = tag.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            let name = words.enumerated().map {
                $0.offset == 0 ? String($0.element) : $0.element.prefix(1).uppercased() + $0.element.dropFirst()
            }
            return name.isEmpty ? "" : "#" + name.joined()
        }
    }

    /// Nothing for what is no time.
    private func time(_ value: RecipeValue, now: RecipeValue?) -> RecipeValue {
        if self == .seconds, let number = value.asInteger, number < 1_000_000_000 { return .integer(max(0, number)) }
        guard let time = ServiceTime.seconds(value) else { return .null }
        switch self {
        case .iso8601: return .text(ServiceTime.iso8601(time))
        case .rfc1123: return .text(ServiceTime.rfc1123(time))
        case .seconds: return (now?.asInteger).map { .integer(max(0, time - $0)) } ?? .null
        default: return .integer(time)
        }
    }
}

extension StringProtocol {
    /// Without white space at its ends.
    fileprivate var trimmed: String {
        let tail = reversed().prefix { $0.isWhitespace }.count
        let head = prefix { $0.isWhitespace }.count
        return head == count ? "" : String(dropFirst(head).dropLast(tail))
    }
}

extension String {
    /// For text and attributes of XML 1.0; characters that it cannot hold are left out.
    var escapedForXML: String {
        var escaped = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;".unicodeScalars
            case "<": escaped += "&lt;".unicodeScalars
            case ">": escaped += "&gt;".unicodeScalars
            case "\"": escaped += "&quot;".unicodeScalars
            case "'": escaped += "&#39;".unicodeScalars
            case "\t", "\n", "\r": escaped += "&#\(scalar.value);".unicodeScalars
            case "\u{0}"..<" ", "\u{fffe}"..."\u{ffff}": break
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Printable ASCII without quotation marks, `\` and `;`, in place of which and of all else stands `_`: safe within
    /// a quoted parameter of a header too.
    var safeInHeader: String {
        String(
            decoding: unicodeScalars.map { scalar -> UInt8 in
                switch scalar {
                case "\"", "\\", ";": UInt8(ascii: "_")
                case " "..."~": UInt8(scalar.value)
                default: UInt8(ascii: "_")
                }
            }, as: UTF8.self)
    }
}
