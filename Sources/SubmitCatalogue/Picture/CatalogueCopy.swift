/// A copy of a picture at a destination.
public struct CatalogueCopy: Sendable, Hashable {
    /// The destination's name.
    public var destination: String
    /// How sure it is that the copy equals the original: `verified`, `echoed`, `size`, `accepted` or `unknown`.
    public var evidence: String
    /// Where people see it.
    public var url: String?

    /// - Parameter evidence: `verified`, `echoed`, `size`, `accepted` or `unknown`.
    public init(destination: String, evidence: String, url: String? = nil) {
        self.destination = TextFolding.composed(destination)
        self.evidence = TextFolding.composed(evidence)
        self.url = url.map(TextFolding.composed)
    }

    /// The evidence with which a copy is proven: the destination's own digest, or its bytes.
    package static let proof = "verified"
}
