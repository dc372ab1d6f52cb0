internal import Submit

/// What is told of a picture, a person or an album to destinations that keep a catalogue: a JSON object by whose text it is known.
package struct DocumentBody: Sendable {
    /// The same whoever makes it.
    package let id: String
    /// The object's text: members sorted by name, without those of nothing.
    package let text: String

    private init(_ id: String, _ members: [RecordMember]) {
        self.id = id
        let there = members.filter { $0.value != .null && $0.value != .list([]) }
        text = RecordValue.object(there.sorted { $0.name < $1.name }).json
    }

    /// A picture, with its copies but those at destinations that keep a catalogue: of these it stands there itself.
    ///
    /// Where it was taken is told where its owner shows that.
    package static func picture(_ picture: CataloguePicture, besides followers: Set<String>) -> DocumentBody {
        let fields = CatalogueField.allCases.filter {
            !beside.contains($0) && !($0.tellsPlace && !picture.isPlaceShown)
        }
        let copies = picture.copies.filter { !followers.contains($0.destination) }.map { copy in
            copy.record(url: url(of: copy))
        }
        return DocumentBody(
            id(of: picture.digest),
            [RecordMember("type", .text("picture")), RecordMember("mime", .text(picture.type))]
                + picture.record(fields, revealsPlace: false).members + [RecordMember("copies", .list(once(copies)))])
    }

    /// Without what tells nobody there apart from what stands there already.
    private static func once(_ values: [RecordValue]) -> [RecordValue] {
        values.reduce(into: []) { known, value in if !known.contains(value) { known.append(value) } }
    }

    /// Paths of this machine are nobody else's business.
    private static func url(of copy: CatalogueCopy) -> String? {
        copy.url.flatMap { $0.lowercased().hasPrefix("file:") ? nil : $0 }
    }

    /// Those that are told otherwise, or mean nothing elsewhere.
    private static let beside: Set<CatalogueField> = [
        .id, .type, .destinations, .proven, .evidence, .urls, .copies, .latitude, .longitude, .placeShown,
    ]

    /// What is left of a picture that was forgotten.
    package static func gone(digest: [UInt8], owner: String) -> DocumentBody {
        DocumentBody(
            id(of: digest), [RecordMember("type", .text("picture")), RecordMember("owner", .text(owner))])
    }

    /// Whose pictures are.
    package static func person(_ name: String) -> DocumentBody {
        DocumentBody(
            "person:\(name)", [RecordMember("type", .text("person")), RecordMember("name", .text(name))])
    }

    /// What pictures are in.
    package static func album(_ name: String) -> DocumentBody {
        DocumentBody("album:\(name)", [RecordMember("type", .text("album")), RecordMember("name", .text(name))])
    }

    private static func id(of digest: [UInt8]) -> String { "picture:\(Hexadecimal.text(of: digest))" }
}
