public import Submit
internal import SubmitConcurrency

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

    /// For all destinations: two may be the same bucket.
    private static let claims = KeyedLock()

    /// How many names are tried before it is given up.
    private static let mostNames = 10_000

    /// Under how many names what was stored as the item may hold other bytes. It is not removed: its owner may have changed
    /// it by means that keep its metadata.
    private static let mostDamaged = 4

    /// How often one key is looked at again because others store there at the same time.
    private static let mostRounds = 4

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
        let receipt = try await store(item, bytes, context)
        container.awaited?.remove(context.submission)
        return receipt
    }

    /// Puts the item under the first key that is free, by its policy.
    private func store(
        _ item: MediaItem, _ bytes: any MediaBytes, _ context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let (container, wanted) = try target(of: item, context)
        if creates || container.name != self.container.name { try await creation.ensure(container) }
        let md5 = ItemMD5(item, bytes)
        var damaged = 0
        for number in 0..<Self.mostNames {
            let key = number == 0 ? wanted : wanted.numbered(number)
            try key.checkLength()
            if var receipt = try await store(
                item, bytes, md5, in: container, at: key.text, isFirst: number == 0, damaged: &damaged,
                context: context)
            {
                if number > 0 {
                    let renamed = "“\(wanted.text)” holds other bytes, so it has the key “\(key.text)”."
                    receipt.note = receipt.note.map { "\(renamed) \($0)" } ?? renamed
                }
                return receipt
            }
            guard damaged < Self.mostDamaged else {
                throw SubmitFailure(
                    .giveUp, code: "damaged",
                    message:
                        "\(damaged) objects like “\(key.text)” in \(container.place) were stored as “\(item.name)” and hold "
                        + "other bytes: what is stored there gets damaged; have the storage checked, and remove them.")
            }
            switch context.onConflict {
            case .rename, .overwrite: continue
            case .skip:
                // Others may have come in the midst of an upload of ours.
                let stays = try await container.whatStays(of: context.checkpoint, item: item)
                let left = "“\(key.text)” holds other bytes; they were left alone and nothing was stored."
                return Receipt(
                    remoteID: id(key.text, in: container), url: try await container.url(of: key.text),
                    evidence: .unknown,
                    wasThere: true, note: joined(left, stays))
            case .fail:
                throw SubmitFailure(
                    .giveUp, code: "name-taken",
                    message: "“\(key.text)” holds other bytes in \(container.place): rename “\(item.name)” or them.")
            }
        }
        throw SubmitFailure(
            .giveUp, code: "name-taken",
            message: "“\(wanted.text)” and \(Self.mostNames - 1) names like it hold other bytes in \(container.place): "
                + "rename “\(item.name)”.")
    }

    /// The item's container and key: those of the copy that is repaired, else what the template makes of it.
    private func target(
        of item: MediaItem, _ context: SubmissionContext
    ) throws(SubmitFailure) -> (any ObjectContainer, ObjectKey) {
        if let address = context.repairedAddress {
            let (container, key) = try Self.locator(service, container, albums)(address)
            return (container, ObjectKey(key))
        }
        let (container, album) = try place(of: context.album)
        return (container, ObjectKey(prefix: prefix, parts: template.render(item, album: album)))
    }

    /// The container for an album, and what of the album's name is left for the key.
    private func place(of album: String?) throws(SubmitFailure) -> (any ObjectContainer, album: String?) {
        try Self.place(of: album, service, container, albums)
    }

    private static func place(
        of album: String?, _ service: any ObjectService, _ container: any ObjectContainer, _ albums: AlbumManner
    ) throws(SubmitFailure) -> (any ObjectContainer, album: String?) {
        guard albums == .bucket, let album else { return (container, album) }
        let parts = album.split(separator: "/", maxSplits: 1)
        return (try service.container(String(parts[0])), parts.count > 1 ? String(parts[1]) : nil)
    }

    private func id(_ key: String, in container: any ObjectContainer) -> String {
        albums == .prefix ? key : "\(container.name)/\(key)"
    }

    /// Puts the item under one key; `nil` where other bytes are that may not be replaced.
    ///
    /// - Parameters:
    ///   - isFirst: it is the first one that is tried.
    ///   - damaged: how many of those were stored as the item.
    private func store(
        _ item: MediaItem, _ bytes: any MediaBytes, _ md5: ItemMD5, in container: any ObjectContainer, at key: String,
        isFirst: Bool, damaged: inout Int, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt? {
        let decision = await preflight.decision(for: item, in: container, isFirst: isFirst, context: context)
        guard decision == .lookAndTry else {
            return try await store(
                item, bytes, md5, in: container, at: key, isFirst: isFirst, looks: decision == .look, damaged: &damaged,
                context: context)
        }
        async let trial = container.tryConditions(upTo: preflight.small)
        let stored = try await store(
            item, bytes, md5, in: container, at: key, isFirst: isFirst, looks: true, damaged: &damaged, context: context
        )
        let told = await trial
        guard var receipt = stored else { return nil }
        receipt.note = joined(receipt.note, told)
        return receipt
    }

    private func store(
        _ item: MediaItem, _ bytes: any MediaBytes, _ md5: ItemMD5, in container: any ObjectContainer, at key: String,
        isFirst: Bool, looks: Bool, damaged: inout Int, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt? {
        let url = try await container.url(of: key)
        // Names that differ only in case, or in how they are composed, may be one there.
        let claim = try await container.url(of: "") + key.lowercased()
        guard await Self.claims.acquire(claim) else { throw .cancelled }
        defer { Self.claims.release(claim) }
        // What an audit disproved says of itself what is not so.
        let address = id(key, in: container)
        let asked = context
        var context = context
        if verification == .readback || context.disproved == address { context.verification = .readback }
        // A number in the name keeps it apart from the object that has its own name.
        if !isFirst, context.replaces { context.onConflict = .rename }
        let arrival = CopyVerifier(
            container: container, item: item, bytes: bytes, key: key, verification: context.verification, md5: md5)
        var looks = looks
        for _ in 0..<Self.mostRounds {
            var sight = looks ? KeyObservation.nothing : .unknown
            if looks, let object = try await container.object(key, file: item.name) {
                sight = .object(object)
                preflight.foundSomething()
                let mended = try await container.mend(object, at: key, with: item, bytes)
                if let evidence = try await arrival.evidence(that: object) {
                    // It may be someone else's, and an upload of ours still be open.
                    let sent = mended == 0 ? nil : "Of its pieces \(mended) were gone or others, and were sent again."
                    let note = joined(sent, try await container.whatStays(of: context.checkpoint, item: item))
                    return Receipt(
                        remoteID: address, url: url, evidence: evidence, wasThere: mended == 0,
                        note: note,
                        marks: object.marks)
                }
                guard try await context.mayReplace(address) else {
                    if object.claims(item) { damaged += 1 }
                    return nil
                }
            } else if !asked.reserve(address) {
                return nil
            }
            if let other = container.awaited?.item(at: url, besides: context.submission) {
                let isAnother = other.digests[.sha256] != item.digests[.sha256]
                if isAnother, context.onConflict == .rename || context.replaces { return nil }
                throw SubmitFailure(
                    .retry(after: nil), code: "conflict",
                    message:
                        "“\(other.name)” may yet come to the key “\(key)” in \(container.place), where “\(item.name)” was to be "
                        + "stored: try again when that is known.")
            }
            var item = item
            item.digests = md5.added(to: item.digests)
            let outcome = try await container.store(item, bytes, at: key, over: sight, context: context)
            if case .stored(let proven, let note) = outcome {
                return Receipt(
                    remoteID: address, url: url, evidence: proven.evidence, note: note,
                    marks: proven.marks)
            }
            preflight.foundSomething()
            looks = true
        }
        throw SubmitFailure(
            .retry(after: nil), code: "conflict",
            message:
                "Others store under the key “\(key)” in \(container.place) at the same time as “\(item.name)”: try again."
        )
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
