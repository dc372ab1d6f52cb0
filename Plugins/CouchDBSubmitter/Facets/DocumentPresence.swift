internal import Submit

/// Looks for the document that a receipt names, and for what is attached to it.
struct DocumentPresence: PresenceFacet {
    let database: CouchDatabase
    let attaches: Bool

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        await look(item, receipt, readsBack: false)
    }

    func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence {
        await look(item, receipt, readsBack: attaches)
    }

    private func look(_ item: MediaItem, _ receipt: Receipt, readsBack: Bool) async -> Presence {
        do throws(SubmitFailure) {
            guard let document = try await database.document(receipt.remoteID) else { return .absent }
            guard attaches else { return document.type == "picture" ? .present(.accepted) : .changed(.kind) }
            guard let attached = document.attachments?[CatalogueTelling.attachment] else { return .changed(.kind) }
            guard attached.length == item.size else { return .changed(.size) }
            let proof = AttachmentProof(database: database)
            let evidence = try await proof.evidence(of: item, in: document, at: receipt.remoteID, readsBack: readsBack)
            return evidence.map { .present($0) } ?? .changed(.digest)
        } catch {
            return .unknown(error.message)
        }
    }
}
