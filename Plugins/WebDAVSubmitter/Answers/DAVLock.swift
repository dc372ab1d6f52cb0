internal import SubmitXML

/// A lock that is held on a resource (RFC 4918, section 14.1).
struct DAVLock: Sendable, Hashable {
    /// Such as `urn:uuid:…`, as it is sent back in `If` and `Lock-Token`. `nil` where the server keeps it to itself.
    var token: String?
    /// Nobody else has one.
    var isExclusive: Bool
    /// Seconds until it ends by itself; `nil` for never, or where the server does not say.
    var timeout: Int?
    /// Who holds it, in that one's own words.
    var owner: String?

    /// Those of an answer on LOCK.
    ///
    /// - Returns: `nil` for another document.
    static func granted(_ body: [UInt8]) -> [DAVLock]? {
        var locks: [DAVLock] = []
        let limits = XMLLimits(bytes: 256 << 10, depth: 32, nodes: 10_000)
        let root = try? XMLReader.elements(body, limits: limits) { element in
            if element.name == .dav("lockdiscovery") { locks += all(element) }
        }
        return root == .dav("prop") ? locks : nil
    }

    /// Those in a `lockdiscovery` property.
    static func all(_ property: XMLElement) -> [DAVLock] {
        property.all(.dav("activelock")).map { lock in
            let owner = lock.first(.dav("owner"))
            return DAVLock(
                token: lock.first(.dav("locktoken"))?.text(of: .dav("href")),
                isExclusive: lock.first(.dav("lockscope"))?.first(.dav("exclusive")) != nil,
                timeout: lock.text(of: .dav("timeout")).flatMap(seconds),
                owner: owner?.trimmedText ?? owner?.text(of: .dav("href")))
        }
    }

    /// `Second-3600`, or a list of which the first is meant (RFC 4918, section 10.7).
    private static func seconds(_ text: String) -> Int? {
        let first = text.split(separator: ",").first ?? ""
        let digits = first.drop { $0 == " " }
        guard digits.lowercased().hasPrefix("second-") else { return nil }
        let number = digits.dropFirst("second-".count).prefix { $0 != " " }
        return number.utf8.allSatisfy { (48...57).contains($0) } ? Int(number) : nil
    }
}
