public import Submit
internal import SubmitTransfer

/// Puts media items into a bucket of an S3-compatible object storage, or a container of OpenStack Swift.
///
/// An item is stored whole or not at all, with its content type and its SHA-256, dates and caption as metadata; a large
/// one in parts, which a later attempt goes on with where the server says it stands.
/// Nothing else is replaced unless that is asked for: servers that know how are told to store only where nothing is, and
/// what holds the key is looked at first, unless a small item is for a server that is known, was seen or is said to do as
/// it is told. An object that is there with the same bytes counts as done. Receipts name the key. Their evidence is
/// `Evidence.verified` where the server computed the item's CRC-32C, its ETag is made of the MD5s of the item or of its
/// parts, or the bytes were read back, `Evidence.echoed` where it hands out our SHA-256 and the right size, and `Evidence.size` where only that.
public struct ObjectStorageSubmitter: Submitter {
    public let facets: Facets

    private let service: any ObjectService
    private let container: any ObjectContainer
    private let albums: AlbumManner
    private let prefix: String
    private let template: PathTemplate
    private let creates: Bool
    private let creation: ContainerCreation
    private let verification: Verification
    private let preflight: PreflightPolicy
    private let facts: Capabilities
    private let factsWithoutMD5: Capabilities

    private let names = NameAllocator()

    /// What an album is.
    enum AlbumManner: String, Sendable, CaseIterable {
        /// The beginning of a key.
        case prefix
        /// A bucket or container of its own.
        case bucket
    }

    init(
        _ service: any ObjectService, container: any ObjectContainer, albums: AlbumManner, prefix: String,
        template: PathTemplate, creates: Bool, verification: Verification, preflight: PreflightPolicy,
        capabilities: Capabilities
    ) {
        self.service = service
        self.container = container
        self.albums = albums
        self.prefix = prefix
        self.template = template
        self.creates = creates
        self.verification = verification
        self.preflight = preflight
        facts = capabilities
        var fewer = capabilities
        fewer.digests.remove(.md5)
        fewer.digestLimits[.md5] = nil
        factsWithoutMD5 = fewer
        let creation = ContainerCreation()
        self.creation = creation
        let locate = Self.locator(service, container, albums)
        facets = Facets(
            albums: albums == .prefix
                ? KeyPrefixAlbums(container: container, prefix: prefix)
                : ContainerAlbums(service: service, creation: creation),
            presence: ObjectPresence(locate: locate),
            links: container.longestLink.map { ObjectLinks(longestLife: $0, locate: locate) },
            leftovers: ObjectLeftovers(container: container, prefix: prefix),
            removal: ObjectRemoval(
                prefix: prefix, locate: locate,
                album: { (album) throws(SubmitFailure) in
                    // Prefixes go with the last object, and the destination's own container is no album.
                    guard albums == .bucket, !album.contains("/"), album != container.name else { return nil }
                    return try service.container(album)
                }, creation: creation),
            target: ObjectTarget(prefix: prefix, template: template) { (album) throws(SubmitFailure) in
                let (place, rest) = try Self.place(of: album, service, container, albums)
                return (place, rest, albums == .prefix ? "" : "\(place.name)/")
            },
            trial: ObjectTrial(container: container, prefix: prefix))
    }

    /// Those that are configured. An item's MD5 is wanted where nothing else proves a copy, which is found out of some
    /// servers.
    public var capabilities: Capabilities {
        service.wantsMD5 ? facts : factsWithoutMD5
    }

    /// Where a receipt's id leads: a key, with its container before it where albums are containers.
    private static func locator(
        _ service: any ObjectService, _ container: any ObjectContainer, _ albums: AlbumManner
    ) -> @Sendable (String) throws(SubmitFailure) -> (any ObjectContainer, key: String) {
        { (id) throws(SubmitFailure) in
            guard albums == .bucket, let slash = id.firstIndex(of: "/") else { return (container, id) }
            return (try service.container(String(id[..<slash])), String(id[id.index(after: slash)...]))
        }
    }

    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        container.expect(context.checkpoint, of: item, by: context.submission)
        let (container, wanted) = try target(of: item, context)
        if creates || container.name != self.container.name { try await creation.ensure(container) }
        let decision = await preflight.decision(for: item, in: container, isFirst: true, context: context)
        let storage = KeyedStorage(
            container: container, root: try await container.url(of: ""), digests: ItemDigests(item, bytes),
            wanted: wanted, first: decision, preflight: preflight, readsBack: verification == .readback,
            context: context,
            isBucketAlbum: albums == .bucket, sparesOthers: await preflight.heedsConditions(container))
        async let trial = decision == .lookAndTry ? container.tryConditions(upTo: preflight.small) : nil
        var receipt = try await names.store(item, in: storage, context: context)
        receipt.add(note: await trial)
        container.awaited?.remove(context.submission)
        return receipt
    }

    /// The item's container and key: those of the copy that is repaired, else what the template makes of it.
    private func target(
        of item: MediaItem, _ context: SubmissionContext
    ) throws(SubmitFailure) -> (any ObjectContainer, ObjectKey) {
        if let address = context.repairedAddress {
            let (container, key) = try Self.locator(service, container, albums)(address)
            return (container, ObjectKey(key))
        }
        let (container, album) = try Self.place(of: context.album, service, container, albums)
        return (container, ObjectKey(prefix: prefix, parts: template.render(item, album: album)))
    }

    /// The container for an album, and what of the album's name is left for the key.
    private static func place(
        of album: String?, _ service: any ObjectService, _ container: any ObjectContainer, _ albums: AlbumManner
    ) throws(SubmitFailure) -> (any ObjectContainer, album: String?) {
        guard albums == .bucket, let album else { return (container, album) }
        let parts = album.split(separator: "/", maxSplits: 1)
        return (try service.container(String(parts[0])), parts.count > 1 ? String(parts[1]) : nil)
    }

    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        defer { container.awaited?.remove(context.submission) }
        if let checkpoint = context.checkpoint { try await container.discard(checkpoint, of: item) }
    }

    public func check() async throws(SubmitFailure) -> String {
        let place = container.place.capitalizedFirst
        guard try await container.exists() else {
            if creates { return "\(place) is not there yet; the first upload makes it." }
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "no-bucket",
                message: "\(place) is not there: check its name and the endpoint, or set “create_bucket” to true.")
        }
        let found = try await container.probe().map { " \($0)" } ?? ""
        return "\(place) is there.\(found)"
    }
}

extension String {
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
