public import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitTransfer

/// Puts media items into a collection of a WebDAV server, whichever it is.
///
/// What the server can do is found out once and kept for a week. An item is brought to a temporary name, proven there,
/// and moved to its place, which is never taken from other bytes unless that is asked for. A large one goes on in its
/// middle where the server has a way that was found to be safe. A resource that is there with the same bytes counts as
/// done. Receipts name the path. Their evidence is `Evidence.verified` where the server computed a digest or the bytes
/// were read back, `Evidence.echoed` where it hands out the digest that it was given, and `Evidence.size` where only
/// that.
public struct WebDAVSubmitter: Submitter {
    public let capabilities: Capabilities
    public let facets: Facets

    private let server: DAVServer
    private let discovery: DAVDiscovery
    private let collections: Collections
    private let taken: TakenNames
    private let names = NameAllocator()
    private let stagings: StagingCollections
    private let lookups: BatchedLookups
    private let options: WebDAVOptions
    /// For the pieces of all items.
    private let permits: AsyncSemaphore
    /// For the items that are looked at by themselves: more at once would only make each of them take longer.
    private let places: AsyncSemaphore

    /// How many pieces of one item are sent at once: Nextcloud's own programs send five.
    private static let mostPieces = 4

    init(
        _ server: DAVServer, discovery: DAVDiscovery, collections: Collections, options: WebDAVOptions,
        capabilities: Capabilities, facets: Facets
    ) {
        self.server = server
        self.discovery = discovery
        self.collections = collections
        taken = TakenNames(server)
        stagings = StagingCollections(server)
        lookups = BatchedLookups(server, width: options.jobs)
        self.options = options
        permits = AsyncSemaphore(options.jobs)
        places = AsyncSemaphore(Self.waitingPerJob * options.jobs)
        self.capabilities = capabilities
        self.facets = facets
    }

    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let profile = try await discovery.profile()
        try await SmallFileTrial(server: server, discovery: discovery).clear(item, context)
        let base = discovery.base(of: profile)
        let wanted = path(of: item, in: base, context, on: profile)
        let collection = wanted.parent ?? base
        do throws(SubmitFailure) {
            if try await collections.ensure(collection, on: profile, about: item.name) { taken.begin(collection) }
        } catch {
            throw await server.locked(
                error, on: profile.lists ? [collection.parent ?? base] : [], at: collection, attempt: context.attempt,
                about: item.name)
        }
        var context = context
        if options.verification == .readback { context.verification = .readback }
        var staging: StagingCollection?
        if bytes.size <= options.partsAbove {
            staging = stagings.staging(
                of: context.submission, in: collection, size: bytes.size, verification: context.verification,
                on: profile)
        }
        let temporaryName = TemporaryName.of(context.submission, on: profile)
        let outside = collection.appending(temporaryName)
        // An earlier attempt may have been outside, and all of it may have arrived there.
        var liesOutside = staging == nil
        if staging != nil, context.attempt > 1 {
            liesOutside = try await server.file(outside, lists: false, about: item.name)?.size == item.size
        }
        let isIn = staging?.enter(returns: context.attempt > 1) ?? false
        if !isIn { liesOutside = true }
        let lookup = lookups.lookup(over: collection, size: bytes.size, on: profile)
        let temporary = (liesOutside ? nil : staging?.path) ?? collection
        let load = UploadJob(
            ItemDigests(item, bytes), context: context,
            temporary: temporary.appending(temporaryName), profile: profile,
            wishes: options.wishes, asksForRoom: profile.tellsQuota && bytes.size > options.partsAbove)
        let arrival = StagedUpload(
            server: server, collections: collections, load: load, base: base,
            carrier: carrier(of: bytes.size, on: profile), staging: liesOutside ? nil : staging, lookup: lookup)
        let result: Result<Receipt, SubmitFailure>
        do throws(SubmitFailure) {
            if lookup == nil { guard await places.acquire() else { throw .cancelled } }
            defer { if lookup == nil { places.release() } }
            if !liesOutside, context.attempt > 1 { try await server.delete(outside, about: item.name) }
            let upload = NamedUpload(
                staged: arrival, own: wanted, in: collection, taken: taken, names: names, discovery: discovery)
            defer { upload.leaveLookup() }
            var receipt = try await names.store(item, in: upload, context: context)
            let isSkipped = receipt.wasThere && receipt.evidence == .unknown
            if !isSkipped { receipt.add(note: try await storeSidecar(of: receipt, upload)) }
            if !isSkipped, context.repairedAddress == nil, let name = rendered(item, album: context.album).last,
                name != profile.names.fitted(name)
            {
                receipt.add(note: "“\(server.host)” does not keep the name “\(name)” as it is.")
            }
            result = .success(receipt)
        } catch {
            result = .failure(error)
        }
        var keeps = false
        if case .failure(let failure) = result { keeps = failure.code == HTTPFailure.noAnswerCode }
        await staging?.leave(isIn ? temporaryName : nil, keeps: keeps)
        return try result.get()
    }

    /// Puts an item's caption and tags beside it, where that is wanted. Until this is done, the submission is not: the
    /// next attempt finds the item and comes here again.
    ///
    /// - Returns: why they are not there, as a sentence.
    private func storeSidecar(of receipt: Receipt, _ upload: NamedUpload) async throws(SubmitFailure) -> String? {
        let (arrival, path) = (upload.staged, upload.path(of: receipt.remoteID))
        guard options.wishes.captions == .sidecar, let sidecar = XMPSidecar(arrival.load.item),
            let collection = path.parent
        else { return nil }
        guard let name = XMPSidecar.name(beside: path.name ?? "") else {
            return "Its name is too long for a file beside it, so that its caption and tags were not stored."
        }
        let load = try await sidecar.load(named: name, beside: arrival.load, to: collection)
        let second = NamedUpload(
            staged: arrival.second(load, PlainUpload(server: server)), own: collection.appending(name), in: collection,
            taken: taken, names: names, discovery: discovery)
        // Nobody knows whose file lies beside a copy that is repaired, or beside one that was renamed.
        let context = arrival.load.context
        let replaces =
            context.onConflict == .overwrite && upload.isOwn(receipt.remoteID) && context.repairedAddress == nil
        let stored = try await names.store(
            load.item, at: second.address(0), mayReplace: replaces, in: second, context: load.context)
        if stored != nil { return nil }
        try await second.staged.abandon()
        return "“\(name)” holds something else and was left alone, so that its caption and tags were not stored."
    }

    /// The folders it goes into and its name, as they are wanted.
    private func rendered(_ item: MediaItem, album: String?) -> [String] { options.template.render(item, album: album) }

    private func path(
        of item: MediaItem, in base: DAVPath, _ context: SubmissionContext, on profile: ServerProfile
    ) -> DAVPath {
        if let address = context.repairedAddress {
            return PathNames.split(address).filter { !$0.isEmpty }.reduce(base) { $0.appending($1) }
        }
        let parts = rendered(item, album: context.album).map { profile.names.fitted($0) }
        return parts.enumerated().reduce(base) { path, part in
            path.appending(part.element, isCollection: part.offset < parts.count - 1)
        }
    }

    private func carrier(of size: Int64, on profile: ServerProfile) -> any UploadStrategy {
        guard size > options.partsAbove else { return PlainUpload(server: server) }
        if case .pieces(let home) = profile.upload {
            return PiecesUpload(
                server: server, discovery: discovery, home: home, pieceSize: options.partSize, permits: permits,
                width: min(options.jobs, Self.mostPieces))
        }
        if case .tus(let offer) = profile.upload, size <= offer.largest ?? .max {
            return TusUpload(server: server, offer: offer, partSize: options.partSize)
        }
        if let kind = profile.partial {
            return PartialUpload(server: server, kind: kind, partSize: options.partSize)
        }
        return PlainUpload(server: server)
    }

    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        let profile = try await discovery.profile()
        let base = discovery.base(of: profile)
        let collection = path(of: item, in: base, context, on: profile).parent ?? base
        let temporary = collection.appending(TemporaryName.of(context.submission, on: profile))
        let staging = StagingCollections.path(of: context.submission, in: collection, on: profile)
        let note = UploadCheckpoint(context.checkpoint)
        // What is put together in this moment lies under the temporary name then.
        try await server.removeUpload(note, about: item.name)
        try await SmallFileTrial(server: server, discovery: discovery).clear(item, context)
        var paths = [temporary]
        if let path = note.flatMap({ DAVPath(href: $0.temporary) }), path != temporary {
            // Where nothing can be moved it is the item's place, and may hold others' bytes.
            if TemporaryName.isOne(path.name ?? "") {
                paths.append(path)
            } else {
                try await removeBeginning(of: item, at: path, context, on: profile)
            }
        }
        if options.wishes.captions == .sidecar {
            paths.append(XMPSidecar.temporary(context.submission, in: collection, on: profile))
        }
        // Most often there is none, which not every server says by 404.
        try? await server.delete(staging.appending(temporary.name ?? ""), about: item.name)
        // Who needs it all the same finds that it is gone, and makes it anew.
        if profile.lists, (try? await server.isEmptyCollection(staging)) ?? false { try? await server.delete(staging) }
        for path in paths {
            let scope = DAVServer.LockScope(
                path: path, owner: UploadJob.lockOwner(context.submission), life: DAVServer.shortestLife)
            try await server.deleteForGood(scope, about: item.name)
        }
    }

    /// Removes what lies at an item's place, where that is the beginning of the item. While the source cannot be read,
    /// nobody knows, and it stays.
    private func removeBeginning(
        of item: MediaItem, at path: DAVPath, _ context: SubmissionContext, on profile: ServerProfile
    ) async throws(SubmitFailure) {
        guard let source = SourceFile(item), let file = try await server.file(path, lists: false, about: item.name)
        else { return }
        let proof = CopyProof(
            server: server, digests: ItemDigests(item, source), verification: context.verification, profile: profile)
        guard try await proof.holdsBeginning(file, at: path) else { return }
        try await server.delete(path, ifItIs: file.etag, about: item.name)
    }

    public func check() async throws(SubmitFailure) -> String {
        let profile = try await discovery.renewedProfile()
        return profile.sentence(server: server.host, base: discovery.base(of: profile))
    }
}
