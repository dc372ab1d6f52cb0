internal import Submit
internal import SystemPackage

@testable internal import ObjectStorageSubmitter
@testable internal import WebDAVSubmitter

/// Reads a template, and makes paths of an album and a name: the three first lines.
func fuzzPaths(_ bytes: [UInt8]) {
    let fields = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    guard fields.count >= 3, let template = try? PathTemplate(fields[0]) else { return }
    var digests = Digests()
    digests[.sha256] = [UInt8](repeating: 0xab, count: 32)
    // What a media item promises of its name.
    let isName = !["", ".", ".."].contains(fields[2]) && !fields[2].utf8.contains { $0 == 0x2f || $0 == 0 }
    let item = MediaItem(
        source: "/a", name: isName ? fields[2] : "a.jpg", size: 1, type: .other,
        modified: Timestamp(nanoseconds: 1_800_000_000_000_000_000), digests: digests)
    for album in [nil, fields[1]] {
        let parts = template.render(item, album: album)
        precondition(!parts.isEmpty)
        for part in parts { checkName(part) }
        guard let name = parts.last else { return }
        checkName(FileName(name).numbered(12))
        let key = ObjectKey(prefix: "p", parts: parts)
        precondition(!key.text.utf8.split(separator: 0x2f, omittingEmptySubsequences: false).contains { $0.isEmpty })
        let path = DAVPath(parts, isCollection: false)
        precondition(DAVPath(href: path.encoded) == path)
    }
}

/// A file system takes it, and takes it for nothing but a name.
private func checkName(_ name: String) {
    let bytes = Array(name.utf8)
    precondition(!bytes.isEmpty && bytes.count <= 255)
    precondition(bytes != [0x2e] && bytes != [0x2e, 0x2e])
    precondition(!bytes.contains(0) && !bytes.contains(0x2f))
}
