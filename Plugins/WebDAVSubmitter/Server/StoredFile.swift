internal import Submit
internal import SubmitHTTP
internal import SubmitTransfer

/// What a server says of something that it holds.
struct StoredFile: Sendable, Hashable {
    var isCollection = false
    /// Bytes; `nil` where it does not say.
    var size: Int64?
    /// As sent.
    var etag: String?
    /// The digests that the server states. It may not have computed them.
    var checksums = Digests()

    /// Which file it is, wherever it is moved; `nil` where the server does not say.
    var fileID: String?

    /// What changes when it is stored anew, for a receipt.
    var marks: [String: String] {
        var marks: [String: String] = [:]
        marks["etag"] = etag.map(unquoted)
        marks["file"] = fileID
        return marks
    }

    /// The names of ``marks``.
    static let marksStrongestFirst = ["etag", "file"]

    /// What the server says of the file's bytes.
    func findings(_ profile: ServerProfile) -> CopyFindings {
        var findings = CopyFindings(size: size)
        if profile.checksum == .verified { findings.computed = checksums } else { findings.echoed = checksums }
        if profile.etagsAreMD5, let etag, !etag.hasPrefix("W/"), isMD5(etag) {
            findings.computed[.md5] = Hexadecimal.bytes(of: unquoted(etag))
        }
        return findings
    }

    init(_ resource: DAVResource) {
        fileID = resource.fileID
        isCollection = resource.isCollection
        size = resource.size
        etag = resource.etag
        checksums = resource.checksums
    }

    /// From an answer on HEAD. One that leads to the same path with a slash at its end is about a collection.
    init(_ head: HTTPResponse) {
        isCollection = !head.isSuccess
        size = head["Content-Length"].flatMap { Int64($0) }
        etag = head["ETag"]
        fileID = head["OC-FileId"].map(DAVResource.fileID)
    }
}

/// An ETag's text: without its quotes and without what gzip's modules add to it, in lower case.
func unquoted(_ etag: String) -> String {
    var text = etag.lowercased()[...]
    if text.hasPrefix("w/") { text = text.dropFirst(2) }
    if text.hasPrefix("\""), text.hasSuffix("\""), text.utf8.count >= 2 { text = text.dropFirst().dropLast() }
    if text.hasSuffix("-gzip") { text = text.dropLast(5) }
    return String(text)
}

/// An ETag's text may be an MD5. Gateways have others for what they store in parts.
func isMD5(_ etag: String) -> Bool {
    let text = unquoted(etag)
    return text.utf8.count == 32 && text.allSatisfy(\.isHexDigit)
}
