public import Submit
internal import SubmitHTTP
internal import SubmitTransfer

/// Tells a CouchDB of pictures, and attaches them where that is asked for.
///
/// A picture's document has an id that its bytes give it, and revisions that its content gives it: who tells it again changes
/// nothing, and an edit follows what it edited. What somebody else changed there is not overwritten, and what somebody deleted
/// there is not brought back. Without attachments its receipts say `Evidence.accepted`: the photo itself is not there. With
/// them they say `Evidence.verified` where the MD5 that the database computed is the item's, or the bytes were read back.
public struct CouchDBSubmitter: Submitter {
    public let capabilities: Capabilities
    public let facets: Facets

    private let database: CouchDatabase
    private let telling: CatalogueTelling
    private let albums: DocumentAlbums
    private let proof: AttachmentProof
    private let options: CouchDBOptions

    init(_ database: CouchDatabase, options: CouchDBOptions) {
        self.database = database
        self.options = options
        telling = CatalogueTelling(database: database, documentLimit: options.documentLimit)
        albums = DocumentAlbums(database: database, telling: telling)
        proof = AttachmentProof(database: database)
        capabilities = Self.capabilities(options)
        facets = Facets(
            albums: albums, presence: DocumentPresence(database: database, attaches: options.attach == .original),
            removal: DocumentRemoval(database: database),
            target: DocumentTarget(database: database, attaches: options.attach == .original), catalogue: telling,
            trial: DocumentTrial(database: database))
    }

    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let document: CatalogueDocument
        if let known = context.document {
            document = known
        } else {
            document = try PictureDocument.document(of: item, album: context.album)
            // Whoever keeps a catalogue tells the albums itself.
            if let album = context.album { try await albums.create(album, about: item.name) }
        }
        guard options.attach == .original else { return try await tell(document, of: item, context) }
        return try await attach(item, bytes, document, context)
    }

    /// A broken upload leaves nothing: the database takes a document with its attachment or neither.
    ///
    /// - Throws: never.
    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}

    public func check() async throws(SubmitFailure) -> String {
        let answer = try await database.get(database.url)
        guard answer.status == 200, !answer.isPage else { throw database.failure(answer, about: nil) }
        guard let told = answer.json(DatabaseFacts.self) else { throw database.cut(about: nil) }
        // Some let anybody ask for that, and nobody for documents.
        _ = try await database.standing([PictureDocument.prefix])
        return
            "The database “\(ForeignText.line(told.name))” at “\(database.host)” holds \(told.count) documents, and photos go there "
            + (options.attach == .original ? "as attachments." : "as what is said of them, without their bytes.")
    }

    // MARK: Documents alone

    private func tell(
        _ document: CatalogueDocument, of item: MediaItem, _ context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        var receipt = Receipt(remoteID: document.id, url: database.url(of: document.id), evidence: .accepted)
        switch try await telling.tell([document]).first {
        case .told?:
            context.sent(item.size)
            return receipt
        case .wasThere?:
            receipt.wasThere = true
            return receipt
        case .removedThere?: throw removedThere(item)
        case .conflict(let sentence)?: return try yield(sentence, document, context)
        case .failed(let failure)?: throw failure
        case nil: throw database.cut(about: item.name)
        }
    }

    /// What comes of a document that somebody else changed.
    private func yield(
        _ sentence: String, _ document: CatalogueDocument, _ context: SubmissionContext
    ) throws(SubmitFailure) -> Receipt {
        guard context.onConflict == .skip else {
            throw SubmitFailure(.giveUp, code: "changed-there", message: sentence)
        }
        return Receipt(
            remoteID: document.id, url: database.url(of: document.id), evidence: .unknown, wasThere: true,
            note: sentence)
    }

    private func removedThere(_ item: MediaItem) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "removed-there",
            message:
                "Somebody deleted “\(item.name)” at “\(database.destination)”, so that it is not brought back: undo that there if it "
                + "shall be there.")
    }

    // MARK: Documents with their items

    private func attach(
        _ item: MediaItem, _ bytes: any MediaBytes, _ document: CatalogueDocument, _ context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        guard let chain = RevisionChain(document) else {
            throw SubmitFailure(
                .giveUp, code: "no-revision",
                message: "“\(item.name)” has no revisions that CouchDB could take: submit it anew.")
        }
        let claim = DocumentClaims.name(document.id, at: database.url)
        let outcome = try await DocumentClaims.all.uploading(claim) { () async throws(SubmitFailure) in
            try await arrive(item, bytes, document, chain, context)
        }
        switch outcome {
        case .stored(let evidence):
            context.sent(item.size)
            return receipt(document, evidence, wasThere: false)
        case .there(let revision, let isOurs): return try await there(item, document, revision, isOurs: isOurs, context)
        }
    }

    private enum UploadOutcome: Sendable {
        case stored(Evidence)
        case there(revision: String, isOurs: Bool)
    }

    private func arrive(
        _ item: MediaItem, _ bytes: any MediaBytes, _ document: CatalogueDocument, _ chain: RevisionChain,
        _ context: SubmissionContext
    ) async throws(SubmitFailure) -> UploadOutcome {
        let standing = try await database.standing([document.id], about: item.name)[0]
        var known = standing.flatMap { chain.place(of: $0.revision) }
        if let standing {
            if standing.isDeleted {
                guard let place = known else { throw removedThere(item) }
                known = chain.joint(ofTombstone: place)
            } else if known?.form != .plain {
                return .there(revision: standing.revision, isOurs: known != nil)
            }
        }
        let upload = AttachedUpload(database: database, item: item, bytes: bytes, context: context)
        let head = chain.head(.attached)
        let answer = try await upload.send(document, path: chain.path(.attached, after: known))
        if !answer.isSuccess {
            // In trouble, it may have stored it all the same.
            guard answer.status == 500,
                try await database.standing([document.id], about: item.name)[0]?.revision == head
            else { throw database.failure(answer, about: item.name) }
        }
        guard let stored = try await database.document(document.id, about: item.name) else {
            throw SubmitFailure(
                .retry(after: nil), code: "not-there",
                message: "“\(database.host)” said that it took “\(item.name)”, and does not have it: it is tried again."
            )
        }
        let removal = DocumentRemoval(database: database)
        guard stored.revision == head, stored.conflicts?.isEmpty ?? true else {
            // Somebody wrote between the look and the upload: what they wrote stays, and ours is not put before it.
            try await removal.delete(document.id, revision: head, about: item.name)
            throw SubmitFailure(
                .retry(after: nil), code: "changed-meanwhile",
                message:
                    "“\(item.name)” was changed at “\(database.destination)” while it was uploaded, so that it was taken back: it is "
                    + "tried again.")
        }
        guard let evidence = try await evidence(of: item, in: stored, at: document.id, context) else {
            try await removal.delete(document.id, revision: head, about: item.name)
            throw SubmitFailure(
                .giveUp, code: "damaged",
                message:
                    "“\(item.name)” arrived damaged at “\(database.destination)” and was removed there: look after that server."
            )
        }
        return .stored(evidence)
    }

    /// What is there already, with an attachment or by somebody else.
    private func there(
        _ item: MediaItem, _ document: CatalogueDocument, _ revision: String, isOurs: Bool, _ context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let stored = try await database.document(document.id, revision: revision, about: item.name)
        guard let stored, let evidence = try await evidence(of: item, in: stored, at: document.id, context) else {
            let sentence =
                isOurs
                ? "What is attached to the document of “\(item.name)” at “\(database.destination)” is something else, and was left "
                    + "alone: remove it there."
                : telling.changedThere(item.name, revision)
            return try yield(sentence, document, context)
        }
        var receipt = receipt(document, evidence, wasThere: true)
        guard isOurs else {
            receipt.note = telling.changedThere(item.name, revision)
            return receipt
        }
        // An edit may have come after it was attached.
        if case .conflict(let sentence)? = try await telling.tell([document]).first { receipt.note = sentence }
        return receipt
    }

    private func evidence(
        of item: MediaItem, in stored: StoredDocument, at id: String, _ context: SubmissionContext
    ) async throws(SubmitFailure) -> Evidence? {
        let readsBack =
            context.verification == .readback || options.verification == .readback || context.disproved == id
        return try await proof.verdict(on: item, in: stored, at: id, readsBack: readsBack, about: item.name).evidence
    }

    private func receipt(_ document: CatalogueDocument, _ evidence: Evidence, wasThere: Bool) -> Receipt {
        Receipt(
            remoteID: document.id, url: database.url(of: document.id, "/\(CatalogueTelling.attachment)"),
            evidence: evidence, wasThere: wasThere)
    }
}
