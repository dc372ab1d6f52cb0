/// A place in JSON (RFC 6901), unescaped.
package struct JSONPointer: Sendable, Hashable {
    package let tokens: [String]

    package init(tokens: [String]) {
        self.tokens = tokens
    }

    /// `nil` for a text that is none: it is empty, or begins with `/`; `~` stands only before `0` and `1`.
    package init?(_ text: String) {
        if text.isEmpty {
            tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var tokens: [String] = []
        for token in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            var unescaped = ""
            var rest = token.unicodeScalars.makeIterator()
            while let scalar = rest.next() {
                guard scalar == "~" else {
                    unescaped.unicodeScalars.append(scalar)
                    continue
                }
                switch rest.next() {
                case "0": unescaped += "~"
                case "1": unescaped += "/"
                default: return nil
                }
            }
            tokens.append(unescaped)
        }
        self.tokens = tokens
    }
}

/// A place in XML: local names from the root down, and perhaps an attribute: `rsp/err@code`.
package struct XMLPath: Sendable, Hashable {
    package let elements: [String]
    package let attribute: String?

    /// `nil` for a text that is none.
    package init?(_ text: String) {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count <= 2, let path = halves.first else { return nil }
        let elements = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let attribute = halves.count == 2 ? String(halves[1]) : nil
        guard elements.allSatisfy(Self.isName), attribute.map(Self.isName) ?? true else { return nil }
        self.elements = elements
        self.attribute = attribute
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.contains { $0.isWhitespace || "<>&\"'=:/@".contains($0) }
    }
}
