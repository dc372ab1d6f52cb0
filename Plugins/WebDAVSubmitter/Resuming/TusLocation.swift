internal import SubmitHTTP

/// Where an answer on the creation of an upload says that it is.
enum TusLocation: Sendable, Hashable {
    /// Percent-encoded, from the server's root, with its query.
    case path(String)
    /// At another host, which gets neither our password nor a photo.
    case elsewhere(String)

    /// Bytes. It has to go into a checkpoint; reva's have about 1,000.
    static let longest = 16 << 10

    /// Reads a URL or a reference to one (RFC 3986, section 4.1).
    ///
    /// At the same host scheme and port count for nothing: a server behind a proxy often does not know how it is seen,
    /// and what is sent goes where the destination's URL says in any case.
    ///
    /// - Parameter collection: where the upload was begun.
    /// - Returns: `nil` for what is none.
    init?(_ text: String?, from collection: String, at endpoint: Endpoint) {
        guard let text, !text.isEmpty, text.utf8.count <= Self.longest,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let reference = text.prefix { $0 != "#" }
        let first = reference.prefix { !"/?".contains($0) }
        let path: Substring
        if first.contains(":") || reference.hasPrefix("//") {
            let scheme = first.contains(":") ? first.prefix { $0 != ":" } : endpoint.isSecure ? "https" : "http"
            let rest = reference.drop { $0 != "/" }
            let authority = rest.dropFirst(2).prefix { !"/?".contains($0) }
            guard !first.contains(":") || first.last == ":", rest.hasPrefix("//"),
                let there = try? Endpoint("\(scheme)://\(authority)")
            else { return nil }
            guard there.host == endpoint.host else {
                self = .elsewhere(there.origin)
                return
            }
            path = rest.dropFirst(2)[authority.endIndex...]
        } else {
            path = reference
        }
        if path.hasPrefix("/") {
            self = .path(String(path))
        } else if !path.isEmpty, path.startIndex == text.startIndex, !path.hasPrefix("?") {
            self = .path(collection.prefix { $0 != "?" } + (collection.hasSuffix("/") ? "" : "/") + path)
        } else {
            return nil
        }
        guard case .path(let found) = self,
            !found.prefix(while: { $0 != "?" }).split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { return nil }
    }
}
