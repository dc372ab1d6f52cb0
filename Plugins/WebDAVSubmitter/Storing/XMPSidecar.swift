internal import Submit
internal import SubmitTransfer
internal import SubmitDigest

/// A file beside an item's that says its caption and tags: an XMP packet (ISO 16684-1), as photo programs read it.
///
/// It is the same for the same item, so that an attempt recognises what an earlier one has stored.
struct XMPSidecar: Sendable {
    let content: [UInt8]

    /// - Returns: `nil` for an item of which there is nothing to say.
    init?(_ item: MediaItem) {
        let tags = item.tags.filter { !$0.isEmpty }
        guard item.caption != nil || !tags.isEmpty else { return nil }
        var properties: [String] = []
        if let caption = item.caption {
            properties.append(
                "<dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">\(xmlText(caption))</rdf:li></rdf:Alt>"
                    + "</dc:description>")
        }
        if !tags.isEmpty {
            let items = tags.map { "<rdf:li>\(xmlText($0))</rdf:li>" }.joined()
            properties.append("<dc:subject><rdf:Bag>\(items)</rdf:Bag></dc:subject>")
        }
        if let captured = item.captured {
            properties.append("<photoshop:DateCreated>\(captured)</photoshop:DateCreated>")
        }
        content = Array((Self.head + properties.joined(separator: "\n") + Self.tail).utf8)
    }

    private static let head = """
        <?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/">
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"\
         xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/">

        """

    private static let tail = """

        </rdf:Description>
        </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>

        """

    /// How large one may be, in bytes.
    static let sizes: ClosedRange<Int64> = 1...(1 << 20)

    /// Whether such a file is as this type writes it, with nothing in it that others add: their programs write all of it
    /// anew, with a beginning of their own.
    static func isOne(_ content: [UInt8]) -> Bool {
        let text = String(decoding: content, as: UTF8.self)
        guard text.hasPrefix(head), text.hasSuffix(tail) else { return false }
        let properties = text.dropFirst(head.count).dropLast(tail.count)
        return ["<dc:description>", "<dc:subject>"].contains(where: properties.hasPrefix)
            && ["</dc:description>", "</dc:subject>", "</photoshop:DateCreated>"].contains(where: properties.hasSuffix)
    }

    /// The name of the file beside one of that name; `nil` where none that long can be.
    static func name(beside name: String) -> String? {
        let name = name + ".xmp"
        return name.utf8.count <= FileName.maximumLength ? name : nil
    }

    /// It as an item, to go the way that items go.
    func load(named name: String, beside load: UploadJob, to collection: DAVPath) async throws(SubmitFailure)
        -> UploadJob
    {
        let bytes = SidecarBytes(content: content)
        var item = load.item
        item.name = name
        item.size = bytes.size
        item.type = MediaType(kind: .other, mime: "application/rdf+xml", filenameExtension: "xmp")
        item.digests = try await Digests.computed([.sha256, .sha1, .md5], of: bytes)
        var options = load.context.options
        if options.onConflict != .overwrite { options.onConflict = .skip }
        return UploadJob(
            ItemDigests(item, bytes),
            context: SubmissionContext(
                submission: load.context.submission, attempt: load.context.attempt, options: options),
            temporary: Self.temporary(load.context.submission, in: collection, on: load.profile), profile: load.profile)
    }

    /// Where it lies until it is whole and proven.
    static func temporary(_ submission: String, in collection: DAVPath, on profile: ServerProfile) -> DAVPath {
        collection.appending(TemporaryName.of(submission, on: profile) + "-xmp")
    }
}

private struct SidecarBytes: MediaBytes {
    let content: [UInt8]

    var size: Int64 { Int64(content.count) }
    var fileDescriptor: CInt? { nil }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let start = Int(min(max(0, offset), size))
        let count = min(buffer.count, content.count - start)
        content.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
        return count
    }

    func verifyUnchanged() throws(SubmitFailure) {}
}
