internal import SubmitXML

/// What an answer's body says went wrong (RFC 4918, section 14.5), with the words that SabreDAV and mod_dav add.
struct DAVErrorDocument: Sendable, Hashable {
    /// Local names of the conditions of RFC 4918, section 16, such as `lock-token-submitted`.
    var conditions: Set<String> = []
    /// SabreDAV's class of it, such as `Sabre\DAV\Exception\Locked`; Nextcloud and ownCloud have classes of their own.
    var exception: String?
    /// For people.
    var message: String?

    /// It says that nothing is there.
    var isAbsence: Bool { exception?.hasSuffix("\\NotFound") ?? false }

    /// - Returns: `nil` for any other body.
    init?(_ body: [UInt8]) {
        var children: [XMLElement] = []
        let limits = XMLLimits(bytes: 256 << 10, depth: 32, nodes: 10_000)
        let root = try? XMLReader.elements(body, limits: limits) { children.append($0) }
        guard let root, root == .dav("error") else { return nil }
        let error = XMLElement(root, children: children)
        conditions = error.conditions
        exception = error.text(of: .sabre("exception"))
        message =
            error.text(of: .sabre("message"))
            ?? error.text(of: XMLName("human-readable", namespace: "http://apache.org/dav/xmlns"))
    }
}
