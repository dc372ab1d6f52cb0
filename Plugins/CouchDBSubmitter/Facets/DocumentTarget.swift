internal import Submit

/// Where a document gets: its id is that of the item's bytes.
struct DocumentTarget: TargetFacet {
    let database: CouchDatabase
    let attaches: Bool

    func target(of item: MediaItem, album: String?) async throws(SubmitFailure) -> Receipt {
        let id = try PictureDocument.id(of: item)
        return Receipt(
            remoteID: id, url: database.url(of: id, attaches ? "/\(CatalogueTelling.attachment)" : ""),
            evidence: .unknown)
    }
}
