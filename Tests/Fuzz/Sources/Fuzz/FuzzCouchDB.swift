internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitHTTP
internal import SystemPackage

@testable internal import CouchDBSubmitter
@testable internal import SubmitCatalogue

/// Does all that is done with the answers of a CouchDB.
func fuzzCouchDB(_ bytes: [UInt8]) {
    readRevision(String(decoding: bytes.prefix(64), as: UTF8.self))
    for answer in FuzzedServer(bytes).answers { readDocument(answer) }
    tell(bytes)
    for attach in ["none", "original"] { submit(bytes, attach) }
    ask(bytes) { submitter throws(SubmitFailure) in checkText(try await submitter.check()) }
    ask(bytes) { submitter throws(SubmitFailure) in
        _ = try await submitter.facets.albums?.list()
        try await submitter.facets.removal?.removeAlbum("a")
    }
    ask(bytes) { submitter throws(SubmitFailure) in
        try await submitter.facets.removal?.remove(Receipt(remoteID: picture.id, evidence: .accepted))
    }
}

private let photo = Array("photo".utf8)
private let digests: Digests = {
    var pass = DigestPass([.md5, .sha256])
    photo.withUnsafeBytes { pass.update($0) }
    return pass.finalize()
}()
private let item = MediaItem(
    source: "/a.jpg", name: "a.jpg", size: Int64(photo.count),
    type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"), modified: Timestamp(nanoseconds: 0),
    digests: digests)

/// Edited twice: revisions that stand in the seeds, so that random changes meet them.
private let picture = CatalogueDocument(
    id: "picture:" + (digests.hexadecimal(.sha256) ?? ""), body: "{\"name\":\"a.jpg\",\"type\":\"picture\"}"
)
.following(body: "{\"name\":\"b.jpg\",\"type\":\"picture\"}")
.following(body: "{\"name\":\"c.jpg\",\"type\":\"picture\"}")
private let gone = CatalogueDocument(id: "person:ann", body: "{\"type\":\"person\"}")
    .following(body: "{\"type\":\"person\"}", isGone: true)
private let album = CatalogueDocument(id: "album:a", body: "{\"name\":\"a\",\"type\":\"album\"}")

/// What is read as a revision is that one and no other.
private func readRevision(_ text: String) {
    guard let revision = Revision(text) else { return }
    precondition(revision.description.isSame(as: text) && revision.generation > 0 && !(revision < revision))
}

/// Whatever somebody wrote into a document of theirs, it is one.
private func readDocument(_ answer: HTTPResponse) {
    if let content = answer.json(DocumentContent.self) { precondition(content == answer.json(DocumentContent.self)) }
    guard let text = String(validating: answer.body, as: UTF8.self), !text.contains("\\u"),
        let document = (try? RecordValue(json: answer.body, limit: .max)).flatMap(DatasourceRecord.init),
        case .text? = document["_rev"], document.members.count(where: { $0.name.hasPrefix("_") }) == 1
    else { return }
    precondition(answer.json(StoredDocument.self) != nil)
}

@discardableResult
private func ask(
    _ bytes: [UInt8], _ attach: String = "none",
    _ asking: @escaping @Sendable (CouchDBSubmitter) async throws(SubmitFailure) -> Void
) -> FuzzedServer {
    let server = FuzzedServer(bytes)
    let settings = DestinationSettings(destination: "couch", values: ["attach": attach])
    guard let endpoint = try? Endpoint("https://couch.example.org"), let options = try? CouchDBOptions(settings) else {
        return server
    }
    let submitter = CouchDBSubmitter(
        CouchDatabase(
            endpoint: endpoint, name: "photos", destination: "couch", transport: server, authority: nil, signsIn: true),
        options: options)
    waiting {
        do throws(SubmitFailure) {
            try await asking(submitter)
        } catch {
            checkText(error.message)
        }
    }
    for request in server.requests { check(request) }
    return server
}

/// Nothing that a server says leads out of the database, or breaks what is sent to it.
private func check(_ request: HTTPRequest) {
    let base = "https://couch.example.org/photos"
    precondition(request.url.hasPrefix(base) && request.url.utf8.allSatisfy { (0x21...0x7e).contains($0) })
    let path = request.url.dropFirst(base.count).prefix { $0 != "?" }
    precondition(path.isEmpty || path.hasPrefix("/"))
    precondition(!path.split(separator: "/").contains { [".", ".."].contains($0) })
    if case .bytes(let body) = request.body { precondition((try? RecordValue(json: body, limit: .max)) != nil) }
}

private func checkText(_ text: String) { precondition(!text.unicodeScalars.contains(where: \.steersTerminals)) }

/// What somebody else changed or deleted is left alone.
private func tell(_ bytes: [UInt8]) {
    let documents = [picture, gone, album]
    let told = Locked<[CatalogueOutcome]>([])
    let server = ask(bytes) { submitter throws(SubmitFailure) in
        if let outcomes = try await submitter.facets.catalogue?.tell(documents) { told.withLock { $0 = outcomes } }
    }
    let bodies = server.requests.filter { $0.url.hasSuffix("/_bulk_docs") }.compactMap { request in
        if case .bytes(let body) = request.body { String(decoding: body, as: UTF8.self) } else { nil }
    }
    let outcomes = told.withLock { $0 }
    precondition([0, documents.count].contains(outcomes.count))
    for (document, outcome) in zip(documents, outcomes) {
        switch outcome {
        case .told, .wasThere: break
        case .failed(let failure): checkText(failure.message)
        case .conflict(let sentence):
            checkText(sentence)
            fallthrough
        case .removedThere: precondition(!bodies.contains { $0.contains("\"_id\":\"\(document.id)\"") })
        }
    }
}

/// What is called proven is.
private func submit(_ bytes: [UInt8], _ attach: String) {
    for document in [nil, picture] {
        var context = SubmissionContext(submission: "fuzz", album: "a", onConflict: .skip)
        context.document = document
        ask(bytes, attach) { [context] submitter throws(SubmitFailure) in
            let receipt = try await submitter.submit(item, bytes: MemoryBytes(photo), context: context)
            if let note = receipt.note { checkText(note) }
            if receipt.evidence == .verified { precondition(isProof(bytes)) }
        }
    }
    ask(bytes, attach) { submitter throws(SubmitFailure) in
        let receipt = Receipt(remoteID: picture.id, evidence: .accepted)
        guard let facet = submitter.facets.presence else { return }
        for found in [
            await facet.presence(of: item, receipt: receipt), await facet.presenceReadBack(of: item, receipt: receipt),
        ] {
            if found == .present(.verified) { precondition(isProof(bytes)) }
            if case .unknown(let sentence) = found { checkText(sentence) }
        }
    }
}

/// Some answer has the item's MD5 as the database computed it, or the item itself.
private func isProof(_ bytes: [UInt8]) -> Bool {
    FuzzedServer(bytes).answers.contains { answer in
        answer.body == photo
            || answer.json(StoredDocument.self)?.attachments?["media"].map { attached in
                attached.length == item.size && attached.digest == digests.base64(.md5).map { "md5-" + $0 }
            } ?? false
    }
}
