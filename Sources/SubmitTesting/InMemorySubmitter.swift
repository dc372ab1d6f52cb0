public import Submit
internal import SubmitDigest
internal import SubmitTransfer

/// A submitter that keeps its copies in memory: the contract's reference, and a stand-in for tests of what is around
/// submitters.
///
/// Its faults are scripted: see ``InMemoryPlace/script`` and ``InMemoryPlace/outage``.
public struct InMemorySubmitter: Submitter {
    /// Where its copies are.
    public let place: InMemoryPlace
    public let capabilities: Capabilities
    private let names = NameAllocator()

    /// - Parameters:
    ///   - place: one that several submitters may share; without, one of its own.
    ///   - capabilities: what it says of itself, and keeps to.
    public init(_ place: InMemoryPlace = InMemoryPlace(), capabilities: Capabilities = Self.capabilities) {
        self.place = place
        self.capabilities = capabilities
    }

    /// Four submissions at once, captions of up to 500 characters, albums, no resuming, copies that are read back.
    public static let capabilities = Capabilities(
        ordering: .concurrent(4), captionLimit: 500, supportsAlbums: true, requiresNetwork: false, digests: [.sha256],
        canReadBack: true)

    /// The same for one that goes on in the middle of an item.
    public static var resumingCapabilities: Capabilities {
        var capabilities = capabilities
        capabilities.canResume = true
        return capabilities
    }

    /// Bytes that land at once.
    public static let partSize = 65_536

    /// The type, for registries. All its submitters share `place`.
    public static func submitterType(
        name: String = "memory", aliases: [String] = [], place: InMemoryPlace = InMemoryPlace(),
        capabilities: Capabilities = Self.capabilities
    ) -> SubmitterType {
        SubmitterType(
            name: name, aliases: aliases, summary: "Keeps copies in memory, for tests", capabilities: capabilities,
            settings: []
        ) { _ in InMemorySubmitter(place, capabilities: capabilities) }
    }

    public var facets: Facets {
        Facets(albums: capabilities.supportsAlbums ? place : nil, presence: place, removal: place)
    }

    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        place.begin(item)
        defer { place.end() }
        try await place.run(.beforeSending, item, context)
        let upload = InMemoryUpload(
            storage: place, item: item, bytes: bytes, context: context, resumes: capabilities.canResume)
        let receipt = try await names.store(item, in: upload, context: context)
        place.forget(context.submission)
        return receipt
    }

    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await place.run(.discarding, item, context)
        place.forget(context.submission)
    }

    public func check() async throws(SubmitFailure) -> String {
        if let outage = place.outage { throw outage }
        return "It keeps \(place.contents.count) copies in memory."
    }
}

extension [UInt8] {
    func matches(_ item: MediaItem) -> Bool {
        guard Int64(count) == item.size else { return false }
        var pass = DigestPass([.sha256])
        withUnsafeBytes { pass.update($0) }
        return pass.finalize()[.sha256] == item.digests[.sha256]
    }
}
