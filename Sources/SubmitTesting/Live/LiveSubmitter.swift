internal import Submit

/// A submitter that gives all items and albums scratch names, and tells its place what it does.
struct LiveSubmitter: Submitter {
    let inner: any Submitter
    let place: LivePlace

    var capabilities: Capabilities { inner.capabilities }

    var facets: Facets {
        var facets = inner.facets
        facets.albums = facets.albums.map { LiveAlbums(inner: $0, place: place) }
        facets.removal = facets.removal.map { LiveRemoval(inner: $0, place: place) }
        facets.presence = facets.presence.map { LivePresence(inner: $0, place: place) }
        return facets
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        if context.onConflict == .overwrite, let why = place.reasonNotToReplace { throw why.failure }
        let item = place.renamed(item)
        let submission = place.context(context.submission)
        let album = context.album.map(place.album)
        place.begins(item, bytes, submission, album: album)
        let receipt = try await inner.submit(item, bytes: bytes, context: place.context(context, album: album))
        place.ends(item, bytes, submission, album: album, receipt)
        return receipt
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await inner.discard(
            place.renamed(item), context: place.context(context, album: context.album.map(place.album)))
    }

    func check() async throws(SubmitFailure) -> String { try await inner.check() }
}

extension LivePlace {
    func renamed(_ item: MediaItem) -> MediaItem {
        var item = item
        item.name = name(item.name)
        return item
    }

    func context(_ context: SubmissionContext, album: String?) -> SubmissionContext {
        var inner = SubmissionContext(
            submission: self.context(context.submission), attempt: context.attempt, options: context.options,
            checkpoint: context.checkpoint,
            keep: { checkpoint in
                await Result { () async throws(SubmitFailure) in try await context.keep(checkpoint) }
            },
            sent: { context.sent($0) }, landed: { context.landed($0) })
        inner.album = album
        inner.disproved = context.disproved
        return inner
    }
}

private struct LiveAlbums: AlbumFacet {
    let inner: any AlbumFacet
    let place: LivePlace

    func list() async throws(SubmitFailure) -> [String] {
        let begin = place.scratch + "/"
        return try await inner.list().filter { $0.hasPrefix(begin) }.map { String($0.dropFirst(begin.count)) }
    }

    func create(_ album: String) async throws(SubmitFailure) { try await inner.create(place.album(album)) }
}

private struct LivePresence: PresenceFacet {
    let inner: any PresenceFacet
    let place: LivePlace

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        await inner.presence(of: place.renamed(item), receipt: receipt)
    }

    func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence {
        await inner.presenceReadBack(of: place.renamed(item), receipt: receipt)
    }
}

private struct LiveRemoval: RemovalFacet {
    let inner: any RemovalFacet
    let place: LivePlace

    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        guard place.owns(receipt) else {
            throw SubmitFailure(
                .giveUp, code: "not-ours", message: "“\(receipt.remoteID)” is not of this run; nothing was removed.")
        }
        try await inner.remove(receipt)
    }
    func removeAlbum(_ album: String) async throws(SubmitFailure) { try await inner.removeAlbum(place.album(album)) }
}
