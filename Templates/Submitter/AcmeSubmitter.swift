public import Submit
internal import SubmitTransfer

/// Puts photos and videos on Acme.
///
/// A copy is uploaded where nobody sees it, proven by its digest, and only then gets its name. `StagedUploads` does that.
public struct AcmeSubmitter: Submitter {
    public let facets: Facets
    private let uploads: StagedUploads<AcmeService>

    // HOLE 1 of 6: what Acme takes, and what has to be configured.
    // The engine refuses what is beyond these facts before any byte moves: state every limit that Acme has, and no other.
    // Keep the settings, and ask them when you need a secret. They never print one.
    static let facts = Capabilities(
        ordering: .concurrent(4), captionLimit: 0, supportsAlbums: true, canResume: true, requiresNetwork: false)

    /// The type, for registries.
    public static func submitterType() -> SubmitterType {
        SubmitterType(
            name: "acme", summary: "Puts photos and videos on Acme", capabilities: facts,
            settings: [
                SettingKey("folder", .path, summary: "The folder that plays Acme", isRequired: true),
                SettingKey("token", .secret, summary: "What opens Acme", environment: ["ACME_TOKEN"]),
            ]
        ) { settings throws(SubmitFailure) in AcmeSubmitter(AcmeService(standIn: try StandIn(settings))) }
    }

    init(_ service: AcmeService) {
        uploads = StagedUploads(service)
        facets = Facets(albums: service, presence: service, removal: service)
    }

    public var capabilities: Capabilities { Self.facts }

    public func check() async throws(SubmitFailure) -> String { try await uploads.service.check() }

    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        try await uploads.submit(item, bytes: bytes, context: context)
    }

    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await uploads.discard(context)
    }
}
