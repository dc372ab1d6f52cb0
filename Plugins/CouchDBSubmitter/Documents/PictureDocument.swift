internal import Submit
internal import SubmitDigest

/// Documents that the submitter makes itself, where nobody keeps a catalogue.
enum PictureDocument {
    static let prefix = "picture:"

    /// The id of an item's document.
    static func id(of item: MediaItem) throws(SubmitFailure) -> String {
        guard let digest = item.digests.hexadecimal(.sha256) else {
            throw SubmitFailure(
                .giveUp, code: "no-digest",
                message: "“\(item.name)” has no SHA-256, by which its document is named: compute it.")
        }
        return prefix + digest
    }

    /// Whether an id is that of a picture, and of nothing that only begins so.
    static func isID(_ id: String) -> Bool {
        let digits = id.utf8.dropFirst(prefix.utf8.count)
        return id.hasPrefix(prefix) && digits.count == 64
            && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// What is known of an item, as a document of one revision. It names no place on this machine.
    static func document(of item: MediaItem, album: String?) throws(SubmitFailure) -> CatalogueDocument {
        let id = try id(of: item)
        var members: [String] = []
        if let album { members.append("\"albums\":\(DocumentJSON.array([album]))") }
        if let caption = item.caption { members.append("\"caption\":\(DocumentJSON.string(caption))") }
        if let captured = item.captured { members.append("\"captured\":\(DocumentJSON.string(captured.description))") }
        members += [
            "\"media_type\":\(DocumentJSON.string(item.type.mime))", "\"name\":\(DocumentJSON.string(item.name))",
            "\"sha256\":\(DocumentJSON.string(String(id.dropFirst(prefix.count))))", "\"size\":\(item.size)",
        ]
        if !item.tags.isEmpty { members.append("\"tags\":\(DocumentJSON.array(item.tags))") }
        members.append("\"type\":\"picture\"")
        return CatalogueDocument(id: id, body: "{\(members.joined(separator: ","))}")
    }
}

/// Album documents: their ids, and what they hold where the catalogue says no more.
enum AlbumDocument {
    static let prefix = "album:"

    static func document(of album: String) -> CatalogueDocument {
        CatalogueDocument(
            id: prefix + album, body: "{\"name\":\(DocumentJSON.string(album)),\"type\":\"album\"}")
    }
}
