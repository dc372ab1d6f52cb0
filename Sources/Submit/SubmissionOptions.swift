/// The choices for a submission, besides its item and its destination.
///
/// They pass unchanged from the request through the journal and the claim to the submitter.
public struct SubmissionOptions: Sendable, Hashable, Codable {
    /// The album to put it in, as `outer/inner`; `nil` for none. Never absolute, no empty, `.` or `..` parts.
    public var album: String?
    /// What to do when other bytes hold the item's name.
    public var onConflict: ConflictPolicy
    /// How the copy is to be proven.
    public var verification: Verification

    /// The usual options, but for those that are given.
    public init(
        album: String? = nil, onConflict: ConflictPolicy = .rename, verification: Verification = .usual
    ) {
        self.album = album
        self.onConflict = onConflict
        self.verification = verification
    }

    /// Reads options. A missing verification is the usual one, as in old journals.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        album = try values.decodeIfPresent(String.self, forKey: .album)
        onConflict = try values.decode(ConflictPolicy.self, forKey: .onConflict)
        verification = try values.decodeIfPresent(Verification.self, forKey: .verification) ?? .usual
    }
}
