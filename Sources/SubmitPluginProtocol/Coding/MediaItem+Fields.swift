internal import Submit
internal import SystemPackage

extension MediaItem {
    /// - Parameter path: where its bytes can be read; no path where that was not told.
    init(reading fields: FieldReader, path: String?) throws {
        let name = try fields.text(.name)
        guard Self.isFileName(name) else { throw MalformedMessage("“name” is no file's name") }
        let type = try MediaType(
            kind: fields.word(.kind), mime: fields.text(.mime), filenameExtension: fields.text(.extension))
        guard let modified = try Timestamp(text: fields.text(.modified)) else {
            throw MalformedMessage("“modified” is no time")
        }
        let captured = try fields.textIfPresent(.captured).map { text in
            guard let time = CaptureTime(text) else { throw MalformedMessage("“captured” is no time") }
            return time
        }
        try self.init(
            source: FilePath(path ?? ""), name: name, size: fields.number(.size), type: type, modified: modified,
            captured: captured, caption: fields.textIfPresent(.caption), tags: fields.texts(.tags),
            digests: Digests(hexadecimal: fields.textsByName(.digests)))
    }

    func write(to fields: inout FieldWriter) throws {
        try fields.encode(name, forKey: .name)
        try fields.encode(size, forKey: .size)
        try fields.encode(type.kind.rawValue, forKey: .kind)
        try fields.encode(type.mime, forKey: .mime)
        try fields.encode(type.filenameExtension, forKey: .extension)
        try fields.encode(modified.text, forKey: .modified)
        try fields.encodeIfPresent(captured?.description, forKey: .captured)
        try fields.encodeIfPresent(caption, forKey: .caption)
        try fields.encode(tags, forKey: .tags)
        let digests = digests
        let texts = digests.algorithms.map { ($0.rawValue, digests.hexadecimal($0)) }
        try fields.encode(Dictionary(uniqueKeysWithValues: texts), forKey: .digests)
    }

    private static func isFileName(_ name: String) -> Bool {
        !["", ".", ".."].contains(name) && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
}

extension Digests {
    /// Reads digests by name, in lower-case hexadecimal. SHA-256 must be there; those that are not known are left out.
    fileprivate init(hexadecimal texts: [String: String]) throws {
        self.init()
        for (name, text) in texts {
            guard let algorithm = DigestAlgorithm(rawValue: name) else { continue }
            guard text.utf8.count == algorithm.length * 2, let bytes = Hexadecimal.bytes(of: text) else {
                throw MalformedMessage("“digests” has one that is no digest")
            }
            self[algorithm] = bytes
        }
        guard self[.sha256] != nil else { throw MalformedMessage("“digests” has no sha256") }
    }
}
