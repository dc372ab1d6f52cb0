internal import SubmitXML

/// The body of a PROPFIND for named properties (RFC 4918, section 14.20).
struct PropfindBody: Sendable, Hashable {
    var properties: [XMLName]

    var bytes: [UInt8] {
        var names = PrefixedNames()
        let asked = properties.map { "<\(names[$0])/>" }.joined()
        return document("D:propfind", names, "<D:prop>\(asked)</D:prop>")
    }
}

/// The body of a PROPPATCH (RFC 4918, section 14.19): the server does all of it, or nothing.
struct ProppatchBody: Sendable, Hashable {
    struct Value: Sendable, Hashable {
        var name: XMLName
        /// Characters that XML 1.0 cannot hold are left out when it is sent.
        var text: String
    }

    var set: [Value] = []
    var remove: [XMLName] = []

    var bytes: [UInt8] {
        var names = PrefixedNames()
        let values = set.map { value in
            let name = names[value.name]
            return "<\(name)>\(xmlText(value.text))</\(name)>"
        }
        let removed = remove.map { "<\(names[$0])/>" }
        let set = values.isEmpty ? "" : "<D:set><D:prop>\(values.joined())</D:prop></D:set>"
        let remove = removed.isEmpty ? "" : "<D:remove><D:prop>\(removed.joined())</D:prop></D:remove>"
        return document("D:propertyupdate", names, set + remove)
    }
}

/// The body of a LOCK that asks for an exclusive write lock (RFC 4918, section 14.11).
struct LockBody: Sendable, Hashable {
    /// For whoever meets the lock.
    var owner: String

    var bytes: [UInt8] {
        document(
            "D:lockinfo", PrefixedNames(),
            "<D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype>"
                + "<D:owner>\(xmlText(owner))</D:owner>")
    }
}

/// Gives each namespace a prefix. No namespace has none.
private struct PrefixedNames {
    private(set) var namespaces = ["DAV:"]

    subscript(name: XMLName) -> String {
        mutating get {
            if name.namespace.isEmpty { return name.local }
            let index = namespaces.firstIndex(of: name.namespace) ?? namespaces.count
            if index == namespaces.count { namespaces.append(name.namespace) }
            return "\(index == 0 ? "D" : "n\(index)"):\(name.local)"
        }
    }
}

private func document(_ root: String, _ names: PrefixedNames, _ content: String) -> [UInt8] {
    let declarations = names.namespaces.enumerated().map { index, namespace in
        " xmlns:\(index == 0 ? "D" : "n\(index)")=\"\(xmlText(namespace))\""
    }
    let text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<\(root)\(declarations.joined())>\(content)</\(root)>"
    return Array(text.utf8)
}

/// A text as it stands between tags and in an attribute (XML 1.0, sections 2.2 and 2.4).
func xmlText(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
        case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
        case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
        case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
        // It would arrive as a line feed (section 2.11).
        case "\r": escaped.append(contentsOf: "&#13;".unicodeScalars)
        case "\t", "\n", "\u{20}"..."\u{fffd}", "\u{10000}"...: escaped.append(scalar)
        default: break
        }
    }
    return String(escaped)
}
