internal import Submit
internal import SubmitXML

/// What a server says of one resource, as values. What it did not say, or said in a way that means nothing, is `nil`.
struct DAVResource: Sendable, Hashable {
    /// Where it is by the server's own account, which a proxy may have made another than ours.
    var path: DAVPath
    /// Bytes.
    var size: Int64?
    /// As sent, with its quotes.
    var etag: String?
    var modified: Timestamp?
    /// When it came to the server, which nobody else says; `nil` where the server keeps no such time.
    var uploaded: Timestamp?
    var contentType: String?
    /// The digests that the server states. It may not have computed them.
    var checksums: Digests
    /// Bytes left to the user.
    var quotaAvailable: Int64?
    /// What stays when it is moved.
    var fileID: String?
    var locks: [DAVLock]
    /// An exclusive write lock can be had.
    var isLockable: Bool
    /// The server still works on what it was given.
    var isProcessing: Bool

    var isCollection: Bool { path.isCollection }

    /// It may be the same for different bytes (RFC 9110, section 8.8.1).
    var isETagWeak: Bool { etag?.hasPrefix("W/") ?? false }

    /// What to ask for with PROPFIND; everything this type reads but locks.
    static let properties: [XMLName] = [
        .dav("resourcetype"), .dav("getcontentlength"), .dav("getetag"), .dav("getlastmodified"),
        .dav("getcontenttype"), .dav("quota-available-bytes"), .ownCloud("checksums"), .ownCloud("fileid"),
    ]

    /// The same with what tells when something came.
    static let leftoverProperties = properties + [.nextcloud("upload_time")]

    /// The same for what only a ``StoredFile`` is made of, as far as the server has it.
    static func fileProperties(on profile: ServerProfile) -> [XMLName] {
        [.dav("resourcetype"), .dav("getcontentlength"), .dav("getetag")]
            + (profile.checksum == nil ? [] : [.ownCloud("checksums")])
            + (profile.hasFileIDs ? [.ownCloud("fileid")] : [])
    }

    /// The number alone: `OC-FileId` and `oc:id` have zeros before it and the instance's name after it, as in
    /// `00000042oc1x2y3z`.
    static func fileID(_ text: String) -> String {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text.dropFirst(digits.count)
        guard !digits.isEmpty, name.isEmpty || name.hasPrefix("oc") else { return text }
        return String(digits.drop { $0 == "0" })
    }

    /// - Parameter now: decides the century of a date with a two-digit year.
    /// - Returns: `nil` for a href that is none.
    init?(_ response: Multistatus.Response, now: Timestamp) {
        guard let path = DAVPath(href: response.href) else { return nil }
        func text(_ name: XMLName) -> String? { response.properties[name]?.trimmedText }
        self.path = path
        size = text(.dav("getcontentlength")).flatMap(Self.count)
        etag = text(.dav("getetag"))
        modified = text(.dav("getlastmodified")).flatMap { Timestamp(davDate: $0, now: now) }
        uploaded = text(.nextcloud("upload_time")).flatMap(Self.count).flatMap {
            // Nextcloud's 0 is no time, but that nobody knows.
            (1...Int64.max / 1_000_000_000).contains($0) ? Timestamp(nanoseconds: $0 * 1_000_000_000) : nil
        }
        contentType = text(.dav("getcontenttype"))
        checksums = response.properties[.ownCloud("checksums")].map(Self.checksums) ?? Digests()
        quotaAvailable = text(.dav("quota-available-bytes")).flatMap(Self.count)
        fileID = (text(.ownCloud("fileid")) ?? text(.ownCloud("id"))).map(Self.fileID)
        locks = response.properties[.dav("lockdiscovery")].map(DAVLock.all) ?? []
        isLockable =
            response.properties[.dav("supportedlock")]?.all(.dav("lockentry")).contains {
                $0.first(.dav("lockscope"))?.first(.dav("exclusive")) != nil
            } ?? false
        isProcessing = response.isProcessing
        self.path.isCollection = Self.isCollection(response) ?? path.isCollection
    }

    /// The slash at the end of a collection's href is often forgotten; servers that do not answer `resourcetype` have
    /// other words for it.
    private static func isCollection(_ response: Multistatus.Response) -> Bool? {
        if let type = response.properties[.dav("resourcetype")] {
            return type.first(.dav("collection")) != nil
        }
        if let answer = response.properties[.dav("iscollection")]?.trimmedText { return answer == "1" }
        let type = response.properties[.dav("getcontenttype")]?.trimmedText
        return type == "httpd/unix-directory" ? true : nil
    }

    /// Digits only: Nextcloud's quotas of -1 (not computed), -2 (unknown) and -3 (unlimited) are no numbers of bytes.
    private static func count(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    }

    /// ownCloud writes all into one element, `SHA1:… MD5:… ADLER32:…`; others have one element for each. Two that differ
    /// tell nothing.
    private static func checksums(_ property: XMLElement) -> Digests {
        var found: [DigestAlgorithm: Set<[UInt8]>] = [:]
        let texts = [property.text] + property.all(.ownCloud("checksum")).prefix(16).map(\.text)
        // Longer ones are none, and would take their time.
        for word in texts.filter({ $0.utf8.count <= 1024 }).flatMap({ $0.split(whereSeparator: \.isWhitespace) }) {
            let parts = word.split(separator: ":", omittingEmptySubsequences: false)
            let name = parts[0].lowercased().filter { $0 != "-" }
            guard parts.count == 2, let algorithm = DigestAlgorithm(rawValue: name),
                let digest = Hexadecimal.bytes(of: parts[1]), digest.count == algorithm.length
            else { continue }
            found[algorithm, default: []].insert(digest)
        }
        return Digests(found.compactMapValues { $0.count == 1 ? $0.first : nil })
    }
}
