internal import SubmitXML

/// The body of a 207 answer (RFC 4918, section 13), read by namespaces and local names.
enum Multistatus {
    /// What is said of one resource.
    struct Response: Sendable, Hashable {
        /// As written: a URL or a path, percent-encoded in the server's own way; empty where it names nothing.
        var href: String
        /// Of the resource as a whole; `nil` where only some of its properties have one.
        var status: Int?
        /// Local names of the conditions of RFC 4918, section 16, such as `lock-token-submitted`.
        var conditions: Set<String> = []
        /// For people.
        var explanation: String?
        /// What the server answered with success; each with its name, text and the elements in it.
        var properties: [XMLName: XMLElement] = [:]
        /// Why the others have no value: usually 404. 500 where the server's own words say nothing.
        var missing: [XMLName: Int] = [:]
        /// The server still works on it and said so with 425: what it says of it is not its last word.
        var isProcessing = false

        /// There is such a resource, as far as this says.
        var isSuccess: Bool { status.map { (200..<300).contains($0) || $0 == 425 } ?? true }

        /// The first elements of these names within each other, beginning with a property.
        func element(_ path: XMLName...) -> XMLElement? {
            guard let first = path.first else { return nil }
            return path.dropFirst().reduce(properties[first]) { $0?.first($1) }
        }
    }

    /// Reads one.
    ///
    /// - Parameter isWanted: whether to read what is said of a resource, by its href as written.
    /// - Throws: ``XMLFailure``; `otherDocument` for well-formed XML that is no multistatus, which says nothing of what
    ///   there is.
    static func parse(
        _ body: [UInt8], limits: XMLLimits = XMLLimits(), where isWanted: (String) -> Bool = { _ in true }
    ) throws(XMLFailure) -> [Response] {
        var responses: [Response] = []
        let root = try XMLReader.elements(body, limits: limits) { element in
            guard element.name == .dav("response"), isWanted(element.text(of: .dav("href")) ?? "") else { return }
            responses += Response.read(element)
        }
        guard root == .dav("multistatus") else { throw .otherDocument(root: root.local) }
        return responses
    }
}

extension Multistatus.Response {
    /// An element has several hrefs where the same happened to each.
    fileprivate static func read(_ element: XMLElement) -> [Self] {
        var response = Self(href: "")
        var hrefs: [String] = []
        for child in element.children {
            switch child.name {
            case .dav("href"): hrefs.append(child.trimmedText ?? "")
            case .dav("status"): response.status = child.trimmedText.map(statusCode)
            case .dav("propstat"): response.take(child)
            case .dav("error"): response.conditions.formUnion(child.conditions)
            case .dav("responsedescription"): response.explanation = child.trimmedText
            default: break
            }
        }
        if response.status == 425 { response.isProcessing = true }
        response.status = response.status ?? response.absence(element)
        return hrefs.map { href in
            var copy = response
            copy.href = href
            return copy
        }
    }

    /// Some servers answer on what is not there as if only its properties were not: none of them has a value, not even
    /// the type that every resource has, or none is named.
    private func absence(_ element: XMLElement) -> Int? {
        guard properties.isEmpty, missing.isEmpty || missing[.dav("resourcetype")] != nil else { return nil }
        let lines = element.all(.dav("propstat")).compactMap { $0.text(of: .dav("status")) }
        return lines.map(Self.statusCode).first { !(200..<300).contains($0) && $0 != 425 }
    }

    /// Properties with a status of their own. What was said with success stays, whatever else is said.
    private mutating func take(_ propstat: XMLElement) {
        let status = propstat.text(of: .dav("status")).map(Self.statusCode) ?? 200
        if status == 425 { isProcessing = true }
        let isSuccess = (200..<300).contains(status) || status == 425
        for property in propstat.all(.dav("prop")).flatMap(\.children) {
            if isSuccess {
                if properties[property.name] == nil { properties[property.name] = property }
                missing[property.name] = nil
            } else if properties[property.name] == nil {
                missing[property.name] = status
            }
        }
        for error in propstat.all(.dav("error")) { conditions.formUnion(error.conditions) }
        if explanation == nil { explanation = propstat.text(of: .dav("responsedescription")) }
    }

    /// `HTTP/1.1 200 OK`, also without its reason, or without its version; 500 for what is no status line.
    private static func statusCode(_ line: String) -> Int {
        for word in line.split(whereSeparator: \.isWhitespace).prefix(2) where word.utf8.count == 3 {
            if let code = UInt16(word), (100...999).contains(code), word.utf8.first != UInt8(ascii: "+") {
                return Int(code)
            }
        }
        return 500
    }
}

extension XMLElement {
    /// The conditions that an `error` element names.
    var conditions: Set<String> {
        Set(children.filter { $0.name.namespace == "DAV:" }.map(\.name.local))
    }
}
