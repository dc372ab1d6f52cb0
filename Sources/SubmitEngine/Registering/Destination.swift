public import Submit

/// A configured, named submitter: a folder, a bucket, an account.
public struct Destination: Sendable {
    /// What `--to` calls it.
    public let name: String
    /// What its submitter was made of.
    public let type: SubmitterType
    /// What puts items there, with the settings and secrets that it was made with.
    public let submitter: any Submitter

    /// By what its type and its settings are told from others; empty where that is not known.
    let place: String

    /// A destination, for ``SubmitManager/add(_:)``.
    ///
    /// - Parameters:
    ///   - name: what `--to` calls it.
    ///   - type: what its submitter was made of.
    ///   - submitter: made by `make(_:)` of the type.
    ///   - settings: what it was made with: with others, what was sent before counts for nothing when
    ///     ``SubmitRequest/skipsUnchanged``.
    public init(
        name: String, type: SubmitterType, submitter: any Submitter, settings: DestinationSettings? = nil
    ) {
        place = settings.map { "\(type.name)\0\($0.place)" } ?? ""
        self.name = name
        self.type = type
        self.submitter = submitter
    }
}
