internal import Submit
internal import SubmitTransfer

/// Looks for the document that a receipt names, and for what is attached to it.
struct DocumentPresence: CopyInspector {
    let database: CouchDatabase
    let attaches: Bool

    func inspect(_ item: MediaItem, _ receipt: Receipt, readsBack: Bool) async throws(SubmitFailure) -> Presence {
        guard let document = try await database.document(receipt.remoteID) else { return .absent }
        guard attaches else { return document.type == "picture" ? .present(.accepted) : .changed(.kind) }
        let proof = AttachmentProof(database: database)
        return try await proof.verdict(on: item, in: document, at: receipt.remoteID, readsBack: readsBack).presence
    }
}
