public import Submit

/// A picture that was left out of the catalogue.
public struct ForgottenPicture: Sendable, Hashable {
    /// The number that it had.
    public let id: Int64
    /// SHA-256 of its bytes.
    public let digest: [UInt8]
    /// The file's name.
    public let name: String
    /// Whose it was.
    public let owner: String
    /// When it was left out.
    public let gone: Timestamp

    package init(id: Int64, digest: [UInt8], name: String, owner: String, gone: Timestamp) {
        (self.id, self.digest, self.name, self.owner, self.gone) = (id, digest, name, owner, gone)
    }
}
