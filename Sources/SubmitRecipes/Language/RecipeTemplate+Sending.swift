internal import SubmitHTTP

extension RecipeTemplate {
    /// One text, that the recipe's author wrote; `nil` where there is an expression in it.
    package var constant: String? {
        guard pieces.count == 1 else { return nil }
        switch pieces[0] {
        case .text(let text): return text
        case .value(.literal(let value)): return value.asText
        case .value, .file: return nil
        }
    }

    /// As a URL: what expressions make is percent-encoded for one segment or one value of a query, unless it comes from
    /// the filters `url`, `url_path` and `as_given`. An expression at the very beginning stands for a URL as the service gave it.
    ///
    /// - Throws: a fault where an expression makes nothing, and where what comes of it is no URL: it holds other
    ///   characters than a URL does, or `.` or `..` for a segment.
    package func url(in scope: ExpressionScope) throws(RecipeFault) -> String {
        var url = ""
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .text(let text): url += text
            case .value(let expression):
                let value = try expression.evaluate(in: scope)
                guard !value.isNothing else { throw RecipeFault(place, "A part of the URL is nothing.") }
                let text = try Self.text(of: value, at: place)
                url += index == 0 || expression.isEncodedForURL ? text : PercentEncoding.encode(text)
            case .file: throw RecipeFault(place, "“file.base64” stands only in a body's “template”.")
            }
            try Self.check(url, at: place)
        }
        guard url.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) }) else {
            throw RecipeFault(place, "This makes a URL with characters that URLs do not have: use the filter “url”.")
        }
        let path = url.prefix { $0 != "?" && $0 != "#" }
        guard !path.split(separator: "/").contains(where: Self.isRelative) else {
            throw RecipeFault(place, "This makes a URL with “.” or “..” for a segment of its path.")
        }
        return url
    }

    private static func isRelative(_ segment: Substring) -> Bool {
        switch segment.lowercased() {
        case ".", "..", "%2e", "%2e%2e", ".%2e", "%2e.": true
        default: false
        }
    }

    /// As the value of a header; `nil` for nothing.
    ///
    /// - Throws: a fault for everything but printable ASCII.
    package func header(in scope: ExpressionScope) throws(RecipeFault) -> String? {
        guard let text = try text(in: scope) else { return nil }
        guard text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw RecipeFault(
                place,
                "This makes a header with a line's end, a control character or a letter beyond ASCII: use the filter "
                    + "“header_safe”, or “headers_json”.")
        }
        return text
    }
}

extension Expression {
    /// Made by a filter that percent-encodes.
    package var isEncodedForURL: Bool {
        if case .filter(let filter, _, _, _) = self { return [.url, .urlPath, .asGiven].contains(filter) }
        return false
    }
}

extension RecipeTemplate {
    /// The texts to send under one name: none for nothing, several for a list.
    ///
    /// - Throws: a fault where an expression has one, and for maps.
    package func texts(in scope: ExpressionScope) throws(RecipeFault) -> [String] {
        guard case .list(let elements) = try evaluate(in: scope) else { return try text(in: scope).map { [$0] } ?? [] }
        var texts: [String] = []
        var room = RecipeValue.longestText
        for element in elements where !element.isNothing {
            let text = try Self.text(of: element, at: place)
            room -= text.utf8.count
            guard room >= 0 else {
                throw RecipeFault(
                    place, "This makes a list of more than \(RecipeValue.longestText >> 20) MiB.")
            }
            texts.append(text)
        }
        return texts
    }
}

extension JSONTemplate {
    /// As JSON in one line. What expressions make nothing of is left out of lists and maps; what is written stays.
    ///
    /// - Parameter isASCII: every character from U+007F on is written `\uXXXX`, as headers need it.
    package func json(in scope: ExpressionScope, isASCII: Bool = false) throws(RecipeFault) -> String {
        var writer = JSONWriter(isASCII: isASCII, place: place)
        try write(to: &writer, in: scope)
        return writer.text
    }

    private var place: RecipePlace {
        switch self {
        case .value(let template): template.place
        case .list(let elements): elements.first?.place ?? RecipePlace(path: "", line: 0, column: 0)
        case .map(let members): members.first?.value.place ?? RecipePlace(path: "", line: 0, column: 0)
        }
    }

    private func write(to writer: inout JSONWriter, in scope: ExpressionScope) throws(RecipeFault) {
        switch self {
        case .value(let template): try writer.write(try template.evaluate(in: scope))
        case .list(let elements):
            try writer.begin("[")
            for element in elements { _ = try element.writeMember(named: nil, to: &writer, in: scope) }
            try writer.end("]")
        case .map(let members):
            try writer.begin("{")
            for (key, value) in members { _ = try value.writeMember(named: key, to: &writer, in: scope) }
            try writer.end("}")
        }
    }

    private func writeMember(named key: String?, to writer: inout JSONWriter, in scope: ExpressionScope)
        throws(RecipeFault)
    {
        guard case .value(let template) = self else {
            try writer.separate(key)
            return try write(to: &writer, in: scope)
        }
        let value = try template.evaluate(in: scope)
        if value.isNothing, !template.isWritten { return }
        try writer.separate(key)
        try writer.write(value)
    }
}

extension RecipeTemplate {
    /// There is no expression in it, but text or a literal as YAML has them.
    package var isWritten: Bool {
        guard pieces.count == 1 else { return false }
        switch pieces[0] {
        case .text, .value(.literal): return true
        case .value, .file: return false
        }
    }
}
