internal import FoundationEssentials
internal import Submit
internal import SubmitHTTP

/// Tells documents as a replicator pushes them: it looks what stands there, asks what is missing, and sends that with its own
/// revisions (docs.couchdb.org, “CouchDB replication protocol”).
///
/// What is sent joins what stands there. Where somebody else's revision does, nothing is sent. Who writes between the look and
/// the sending makes a conflict in the revision tree, which the database keeps and nobody's content is lost by; a later
/// telling sees it.
struct CatalogueTelling: CatalogueFacet {
    let database: CouchDatabase
    /// Bytes that a document may have there.
    let documentLimit: Int64

    /// What is attached to a document is called so, and nothing else is attached.
    static let attachment = "media"

    /// Batches that are told at once: while one is written, the next is looked for.
    private static let width = 2

    func tell(_ documents: [CatalogueDocument]) async throws(SubmitFailure) -> [CatalogueOutcome] {
        let batches = Array(DocumentBatches(documents))
        // What occurs twice is told in its order.
        let width = Set(documents.lazy.map(\.id)).count == documents.count ? Self.width : 1
        let told = await withTaskGroup(of: (Int, Result<[CatalogueOutcome], SubmitFailure>).self) { group in
            var told: [Int: Result<[CatalogueOutcome], SubmitFailure>] = [:]
            for (number, batch) in batches.enumerated() {
                if number >= width, let (index, outcome) = await group.next() {
                    told[index] = outcome
                    guard case .success = outcome else { break }
                }
                group.addTask {
                    do throws(SubmitFailure) {
                        if Task.isCancelled { throw .cancelled }
                        return (number, .success(try await tell(together: Array(documents[batch]))))
                    } catch {
                        return (number, .failure(error))
                    }
                }
            }
            for await (index, outcome) in group { told[index] = outcome }
            return told
        }
        var outcomes: [CatalogueOutcome] = []
        outcomes.reserveCapacity(documents.count)
        for index in batches.indices { outcomes += try told[index]?.get() ?? [] }
        return outcomes
    }

    private func tell(together documents: [CatalogueDocument]) async throws(SubmitFailure) -> [CatalogueOutcome] {
        let base = database.url
        let claims = documents.map { DocumentClaims.name($0.id, at: base) }
        return try await DocumentClaims.all.telling(claims) { (uploading) async throws(SubmitFailure) in
            let free = documents.indices.filter { !uploading.contains(claims[$0]) }
            let told = try await tell(claimed: free.map { documents[$0] })
            var outcomes = documents.map { CatalogueOutcome.failed(beingUploaded($0)) }
            for (index, outcome) in zip(free, told) { outcomes[index] = outcome }
            return outcomes
        }
    }

    private func beingUploaded(_ document: CatalogueDocument) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "being-uploaded",
            message:
                "“\(document.title)” is just being uploaded to “\(database.destination)”: what is new of it is told when it is there."
        )
    }

    private func tell(claimed documents: [CatalogueDocument]) async throws(SubmitFailure) -> [CatalogueOutcome] {
        guard !documents.isEmpty else { return [] }
        let standing = try await database.standing(documents.map(\.id))
        var outcomes: [CatalogueOutcome] = []
        var texts: [DocumentText] = []
        for (index, document) in documents.enumerated() {
            switch step(document, at: index, standing[index]) {
            case .done(.conflict(let sentence)):
                outcomes.append(try await says(document) ? .wasThere : .conflict(sentence))
            case .done(let outcome): outcomes.append(outcome)
            case .send(let text):
                outcomes.append(.told)
                texts.append(text)
            }
        }
        guard !texts.isEmpty else { return outcomes }
        let missing = try await database.missing(texts.map { (documents[$0.index].id, $0.revision) })
        var wanted: [DocumentText] = []
        for text in texts {
            let document = documents[text.index]
            guard let leaves = missing[document.id] else {
                outcomes[text.index] = .wasThere
                continue
            }
            if let sentence = try await conflict(document, leaves) {
                outcomes[text.index] = .conflict(sentence)
            } else {
                wanted.append(text)
            }
        }
        for (index, failure) in try await send(wanted[...], documents) { outcomes[index] = .failed(failure) }
        return outcomes
    }

    /// What somebody else made of a document that loses against ours, as a sentence: an edit of ours would hide it for good.
    ///
    /// - Parameter leaves: those that are there.
    private func conflict(_ document: CatalogueDocument, _ leaves: [String]) async throws(SubmitFailure) -> String? {
        guard let chain = RevisionChain(document), leaves.contains(where: { chain.place(of: $0) == nil }),
            let stored = try await database.document(document.id)
        else { return nil }
        let others = ([stored.revision] + (stored.conflicts ?? [])).filter { chain.place(of: $0) == nil }
        return others.first.map { changedThere(document.title, $0) }
    }

    /// Somebody else wrote there what we would: there is nothing to be told, as long as nobody says anything else.
    private func says(_ document: CatalogueDocument) async throws(SubmitFailure) -> Bool {
        guard !document.isGone, let ours = DocumentContent(document) else { return false }
        return try await database.content(of: document.id) == ours
    }

    private enum Step {
        case done(CatalogueOutcome)
        case send(DocumentText)
    }

    /// What is to be done about one document.
    private func step(_ document: CatalogueDocument, at index: Int, _ standing: StandingRevision?) -> Step {
        guard let chain = RevisionChain(document) else {
            return .done(
                .failed(
                    SubmitFailure(
                        .giveUp, code: "no-revision",
                        message: "“\(document.title)” has no revisions that CouchDB could take: write it down anew.")))
        }
        var (known, keeps) = (RevisionChain.Place?.none, false)
        if let standing {
            guard let place = chain.place(of: standing.revision) else {
                return .done(
                    standing.isDeleted
                        ? .removedThere : .conflict(changedThere(document.title, standing.revision)))
            }
            if place.index == 0 { return .done(.wasThere) }
            known = standing.isDeleted && !document.isGone ? chain.joint(ofTombstone: place) : place
            // An edit that does not name what is attached would take it away; and a copy stays where a picture is forgotten.
            keeps = place.form == .attached && !standing.isDeleted
        }
        let text = DocumentText(
            document, at: index, path: chain.path(known?.form ?? .plain, after: known),
            attachments: keeps ? "{\(DocumentJSON.string(Self.attachment)):{\"stub\":true}}" : nil)
        guard text.text.utf8.count <= documentLimit else {
            return .done(
                .failed(
                    SubmitFailure(
                        .giveUp, code: "too-large",
                        message:
                            "“\(document.title)” has more to be told than “\(database.destination)” takes of one document: shorten what "
                            + "is said of it, or raise “document_limit” if the server takes more.")))
        }
        return .send(text)
    }

    func changedThere(_ title: String, _ revision: String) -> String {
        "“\(title)” was changed at “\(database.destination)” by somebody else (revision \(ForeignText.line(revision, longest: 60))), and "
            + "nothing was overwritten. That ends when both say the same, by an edit here or there."
    }

    /// Sends documents, and again in halves where the database refuses all for the sake of one.
    ///
    /// - Returns: the failures of those that were refused, by their places.
    private func send(
        _ texts: ArraySlice<DocumentText>, _ documents: [CatalogueDocument]
    ) async throws(SubmitFailure) -> [(Int, SubmitFailure)] {
        guard let first = texts.first else { return [] }
        if Task.isCancelled { throw .cancelled }
        let body = "{\"new_edits\":false,\"docs\":[\(texts.map(\.text).joined(separator: ","))]}"
        let answer = try await database.post("_bulk_docs", body)
        // A document alone is too large, is malformed, or names an attachment that is gone: the whole request is refused.
        if [400, 412, 413].contains(answer.status) {
            guard texts.count > 1 else {
                return [(first.index, database.failure(answer, about: documents[first.index].title))]
            }
            let middle = texts.startIndex + texts.count / 2
            let left = try await send(texts[..<middle], documents)
            return left + (try await send(texts[middle...], documents))
        }
        guard answer.isSuccess, !answer.isPage else { throw database.failure(answer, about: nil) }
        guard let rows = answer.json([WriteRow].self) else { throw database.cut(about: nil) }
        // The status says nothing of single documents; the rows do.
        var failures: [(Int, SubmitFailure)] = []
        for row in rows where row.error != nil {
            guard let text = texts.first(where: { documents[$0.index].id == row.id }) else {
                throw database.cut(about: nil)
            }
            failures.append((text.index, failure(row, documents[text.index].title)))
        }
        return failures
    }

    /// What a row of errors means for its document.
    private func failure(_ row: WriteRow, _ title: String) -> SubmitFailure {
        let statuses = [
            "unauthorized": 403, "forbidden": 403, "conflict": 409, "document_too_large": 413,
            "request_entity_too_large": 413,
            "missing_stub": 412, "doc_validation": 400, "bad_request": 400, "illegal_docid": 400,
        ]
        var answer = HTTPResponse(status: statuses[row.error ?? ""] ?? 500)
        answer.body = Array(
            "{\"error\":\(DocumentJSON.string(row.error ?? "")),\"reason\":\(DocumentJSON.string(row.reason ?? ""))}"
                .utf8)
        return database.failure(answer, about: title)
    }
}

extension CatalogueDocument {
    /// What people call it: the name in its body, or else its id.
    var title: String {
        struct Named: Decodable { let name: String? }
        return (try? JSONDecoder().decode(Named.self, from: Data(body.utf8)))?.name ?? id
    }
}
