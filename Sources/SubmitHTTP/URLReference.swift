/// The parts of a URL or of a reference to one, as written (RFC 3986, appendix B); the fragment is left out.
package struct URLReference {
    package var scheme: String?
    package var authority: String?
    package var path: String
    package var query: String?

    package init(_ text: String) {
        var rest = text.prefix { $0 != "#" }
        let head = rest.prefix { !"/?".contains($0) }
        if let colon = head.firstIndex(of: ":"), colon > head.startIndex {
            scheme = head[..<colon].lowercased()
            rest = rest[rest.index(after: colon)...]
        }
        if rest.hasPrefix("//") {
            let found = rest.dropFirst(2).prefix { !"/?".contains($0) }
            authority = String(found)
            rest = rest[found.endIndex...]
        }
        let found = rest.prefix { $0 != "?" }
        path = String(found)
        query = found.endIndex < rest.endIndex ? String(rest[found.endIndex...].dropFirst()) : nil
    }

    /// What this refers to when it is read at `base`, an absolute URL (RFC 3986, section 5.2).
    func resolved(against base: URLReference) -> URLReference {
        var target = self
        if scheme != nil {
            target.path = Self.withoutDots(path)
            return target
        }
        target.scheme = base.scheme
        if authority != nil {
            target.path = Self.withoutDots(path)
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.hasPrefix("/") {
            target.path = Self.withoutDots(path)
        } else {
            let directory = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? "/"
            target.path = Self.withoutDots(directory + path)
        }
        return target
    }

    /// The URL, with whatever may not stand in one percent-encoded: servers send such locations.
    package var text: String {
        let all =
            (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path
            + (query.map { "?" + $0 } ?? "")
        return PercentEncoding.encode(all.utf8, keeping: Set(0x21...0x7e))
    }

    /// RFC 3986, section 5.2.4.
    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                if kept.count > 1 { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return kept.joined(separator: "/")
    }
}
