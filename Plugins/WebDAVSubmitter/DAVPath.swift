internal import SubmitHTTP

/// A path at a WebDAV server: the names of its segments, and whether it is a collection's.
///
/// Equal paths are equal byte by byte; ``relation(to:)`` is the comparison that forgives what servers do to paths.
struct DAVPath: Sendable, Hashable {
    /// Everything but the unreserved characters is encoded, so that each segment has one form only.
    private let encodedSegments: [String]
    var isCollection: Bool

    /// The top: `/`.
    static let root = DAVPath(encodedSegments: [], isCollection: true)

    private init(encodedSegments: [String], isCollection: Bool) {
        self.encodedSegments = encodedSegments
        self.isCollection = isCollection
    }

    /// A path of names, as ``appending(_:isCollection:)`` takes them.
    init(_ names: [String], isCollection: Bool) {
        self = names.reduce(.root) { $0.appending($1, isCollection: true) }
        self.isCollection = isCollection || encodedSegments.isEmpty
    }

    /// Reads an absolute URL or an absolute path, encoded in whatever way (RFC 4918, section 8.3).
    ///
    /// Servers leave characters unencoded that must be encoded; all but `?`, which begins a query, are taken as they
    /// are. A `%` without two digits is one. A relative reference counts from the root.
    ///
    /// - Returns: `nil` for an empty text, and for a path with `..` in it.
    init?(href: String) {
        let text = Array(href.utf8)
        let trimmed = text[...].trimmed
        guard !trimmed.isEmpty else { return nil }
        let path = Self.path(trimmed)
        var segments: [String] = []
        for segment in path.split(separator: UInt8(ascii: "/")) {
            let bytes = Self.decoded(segment)
            if bytes.elementsEqual("..".utf8) { return nil }
            if !bytes.elementsEqual(".".utf8) { segments.append(PercentEncoding.encode(bytes, keeping: [])) }
        }
        encodedSegments = segments
        isCollection = segments.isEmpty || path.last == UInt8(ascii: "/")
    }

    /// The names, decoded. One whose bytes are no UTF-8 stays percent-encoded.
    var segments: [String] { encodedSegments.map(Self.name) }

    /// How many names it has.
    var depth: Int { encodedSegments.count }

    /// The last name as ``encoded`` has it; `nil` for the root.
    var encodedName: String? { encodedSegments.last }

    /// The last name; `nil` for the root.
    var name: String? { encodedSegments.last.map(Self.name) }

    /// The collection it is in; `nil` for the root.
    var parent: DAVPath? {
        encodedSegments.isEmpty
            ? nil : DAVPath(encodedSegments: Array(encodedSegments.dropLast()), isCollection: true)
    }

    /// All collections on the way to it from the one below the root, topmost first; without itself.
    var ancestors: [DAVPath] {
        encodedSegments.indices.dropFirst().map {
            DAVPath(encodedSegments: Array(encodedSegments[..<$0]), isCollection: true)
        }
    }

    /// Something in this collection.
    ///
    /// - Parameter name: one name; a `/` in it is a character of it. Empty, `.` and `..` are no names, and lead nowhere.
    func appending(_ name: String, isCollection: Bool = false) -> DAVPath {
        if ["", ".", ".."].contains(name) { return self }
        return DAVPath(
            encodedSegments: encodedSegments + [PercentEncoding.encode(name)], isCollection: isCollection)
    }

    /// The path that ends before the first of these characters, where it has one; `nil` where nothing is left of the
    /// name that it stands in.
    func cut(before end: Character) -> DAVPath? {
        let names = segments
        guard let index = names.firstIndex(where: { $0.contains(end) }),
            let stem = names[index].split(separator: end, omittingEmptySubsequences: false).first, !stem.isEmpty
        else { return nil }
        return DAVPath(names[..<index] + [String(stem)], isCollection: false)
    }

    /// The same names below another path.
    func below(_ base: DAVPath) -> DAVPath {
        DAVPath(
            encodedSegments: base.encodedSegments + encodedSegments,
            isCollection: encodedSegments.isEmpty ? base.isCollection : isCollection)
    }

    /// For a request line, a `Destination` header and the like: begins with `/`, and ends with one for a collection.
    var encoded: String {
        "/" + encodedSegments.joined(separator: "/") + (isCollection && !encodedSegments.isEmpty ? "/" : "")
    }

    private static func name(_ encoded: String) -> String {
        String(validating: decoded(Array(encoded.utf8)[...]), as: UTF8.self) ?? encoded
    }

    /// What follows the scheme and the authority, without a query.
    private static func path(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text.prefix { $0 != UInt8(ascii: "?") }
        let scheme = rest.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
        let afterScheme = rest[scheme.endIndex...]
        if afterScheme.starts(with: "://".utf8) {
            rest = afterScheme.dropFirst(1)
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2).drop { $0 != UInt8(ascii: "/") }
        }
        return rest
    }

    private static func decoded(_ segment: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = segment
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = hexadecimal(rest[rest.startIndex]),
                let low = hexadecimal(rest[rest.startIndex + 1])
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension DAVPath: CustomStringConvertible {
    /// As people read it.
    var description: String { "/" + segments.joined(separator: "/") }
}

extension DAVPath {
    /// How the path in an answer stands to the one that was asked about.
    enum Relation: Sendable, Hashable {
        case itself
        /// In it, under that name.
        case member(String)
        case elsewhere
    }

    /// Compares by names, whatever their encoding and their Unicode form. A proxy may have taken segments off the
    /// beginning of the path, or have put some there: then the rest must fit.
    func relation(to asked: DAVPath) -> Relation {
        // Nearly all are as they should be, and need not be decoded.
        if depth == asked.depth + 1, encodedSegments.starts(with: asked.encodedSegments), let name {
            return .member(name)
        }
        let found = segments
        let wanted = asked.segments
        if found == wanted { return .itself }
        if let name = found.last, found.dropLast() == wanted[...] { return .member(name) }
        if Self.ends(found[...], as: wanted[...]) { return .itself }
        if let name = found.last, Self.ends(found.dropLast(), as: wanted[...]) { return .member(name) }
        return .elsewhere
    }

    /// One is the end of the other. Every path ends as the root does, which tells nothing of what an answer has.
    private static func ends(_ found: ArraySlice<String>, as wanted: ArraySlice<String>) -> Bool {
        if found.count <= wanted.count { return wanted.suffix(found.count) == found }
        return !wanted.isEmpty && found.suffix(wanted.count) == wanted
    }
}

extension ArraySlice<UInt8> {
    /// Without the white space of XML at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0d).contains($0) }
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
