internal import Submit

/// A copy of a picture at a destination.
public struct CatalogueCopy: Sendable, Hashable {
    /// The destination's name.
    public var destination: String
    /// How sure it is that the copy equals the original: `verified`, `echoed`, `size`, `accepted` or `unknown`.
    public var evidence: String
    /// Where people see it.
    public var url: String?
    /// What was made of the original for it; `nil`: it is the original.
    public var rendition: CatalogueRendition?

    /// - Parameter evidence: `verified`, `echoed`, `size`, `accepted` or `unknown`.
    public init(destination: String, evidence: String, url: String? = nil, rendition: CatalogueRendition? = nil) {
        self.rendition = rendition
        self.destination = TextFolding.composed(destination)
        self.evidence = TextFolding.composed(evidence)
        self.url = url.map(TextFolding.composed)
    }

    /// The evidence with which a copy is proven: the destination's own digest, or its bytes.
    package static let proof = "verified"
}

extension CatalogueCopy {
    /// As a record has it.
    ///
    /// - Parameter url: where people see it; `nil`: nowhere.
    func record(url: String?) -> RecordValue {
        var members = [RecordMember("destination", .text(destination)), RecordMember("evidence", .text(evidence))]
        if let rendition {
            members.append(
                RecordMember(
                    "rendition",
                    .object([
                        RecordMember("item", .text(Hexadecimal.text(of: rendition.digest))),
                        RecordMember("size", .integer(rendition.size)), RecordMember("type", .text(rendition.type)),
                    ])))
        }
        if let url { members.append(RecordMember("url", .text(url))) }
        return .object(members)
    }
}
