import Foundation
import Submit
import SubmitConcurrency
import SubmitDigest
import SubmitHTTP
import SystemPackage
import TestServers
import Testing

/// A photo and what a catalogue knows of it.
struct Photo: Sendable {
    let bytes: MemoryBytes
    let item: MediaItem
    let document: CatalogueDocument

    init(seed: UInt64, type: MediaType = MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg")) {
        var numbers = SeededNumbers(seed: seed)
        let content = (0..<3000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        self.init(content, type: type)
    }

    init(_ content: [UInt8], type: MediaType) {
        var pass = DigestPass([.sha256, .md5])
        content.withUnsafeBytes { pass.update($0) }
        let digests = pass.finalize()
        bytes = MemoryBytes(content)
        item = MediaItem(
            source: "/card/IMG_1.jpg", name: "IMG_1.jpg", size: Int64(content.count), type: type,
            modified: Timestamp(nanoseconds: 0), digests: digests)
        document = CatalogueDocument(id: "picture:\(digests.hexadecimal(.sha256)!)", body: body("first"))
    }

    func context(_ document: CatalogueDocument? = nil, verification: Verification = .usual) -> SubmissionContext {
        var context = SubmissionContext(submission: "test-1", verification: verification)
        context.document = document ?? self.document
        return context
    }
}

/// Ends a process at one of its requests: before the server hears of it, or when it has done what it was asked.
private final class KillingTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let left: Locked<Int>
    private let hears: Bool

    init(_ transport: any HTTPTransport, after requests: Int, hears: Bool) {
        self.transport = transport
        left = Locked(requests)
        self.hears = hears
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let number = left.withLock { left in
            left -= 1
            return left
        }
        if number > 0 { return try await transport.send(request) }
        if number == 0, hears { _ = try await transport.send(request) }
        throw .cancelled
    }
}

@Suite struct `A hundred kills` {
    /// What somebody did to a document there, and nobody may undo.
    private enum Fate: Equatable {
        case ours, deletedThere
        case changedThere(String)
    }

    @Test(arguments: CouchPeer.Kind.there)
    func `end with equal documents, nothing revived, and a second run that sends no bodies`(
        _ kind: CouchPeer.Kind
    ) async throws {
        let peer = try await CouchPeer.peer(kind)
        var numbers = SeededNumbers(seed: 7)
        let photos = (0..<30).map { Photo(seed: UInt64($0)) }
        var documents = photos.map(\.document)
        var fates = [Fate](repeating: .ours, count: photos.count)
        var attached: Set<Int> = []
        let attaching = ["attach": "original"]

        for round in 0..<100 {
            for index in documents.indices where Int.random(in: 0..<8, using: &numbers) == 0 {
                let isGone = Int.random(in: 0..<10, using: &numbers) == 0
                documents[index] = documents[index].following(body: body("edit \(round)"), isGone: isGone)
            }
            // Somebody else is at work there.
            let other = Int.random(in: 0..<photos.count, using: &numbers)
            if round % 5 == 4, fates[other] == .ours, try await peer.document(documents[other].id) != nil {
                let deletes = Bool.random(using: &numbers)
                // Who edits keeps what is attached, as any good program does.
                let stub = try await peer.document(documents[other].id)?["_attachments"] == nil
                let members = "\"type\":\"picture\"" + (stub ? "" : ",\"_attachments\":{\"media\":{\"stub\":true}}")
                let revision = try await peer.edit(documents[other].id, members, deletes: deletes)
                fates[other] = deletes ? .deletedThere : .changedThere(revision)
            }
            let killing = KillingTransport(
                peer.transport, after: Int.random(in: 1..<16, using: &numbers), hears: Bool.random(using: &numbers))
            let submitted = Int.random(in: 0..<photos.count, using: &numbers)
            do throws(SubmitFailure) {
                let submitter = try peer.submitter(attaching, transport: killing)
                if Bool.random(using: &numbers), !documents[submitted].isGone {
                    _ = try await submitter.submit(
                        photos[submitted].item, bytes: photos[submitted].bytes,
                        context: photos[submitted].context(documents[submitted]))
                    attached.insert(submitted)
                }
                _ = try await submitter.facets.catalogue!.tell(documents)
            } catch {
                #expect(error == .cancelled || ["removed-there", "changed-there"].contains(error.code), "\(error)")
            }
        }

        let outcomes = try await peer.tell(documents, attaching)
        let counting = CountingTransport(peer.transport)
        #expect(
            try await peer.tell(documents, attaching, transport: counting)
                == outcomes.map { $0 == .told ? .wasThere : $0 })
        #expect(!counting.requests.contains("_bulk_docs"))
        for (index, document) in documents.enumerated() {
            let winner = try #require(try await peer.winners([document.id])[document.id])
            let there = try await peer.document(document.id)
            switch fates[index] {
            case .ours:
                #expect(outcomes[index] == .told || outcomes[index] == .wasThere)
                // Copies stay where what is said of them is forgotten.
                #expect(winner.isDeleted == (document.isGone && there == nil))
                #expect(!document.isGone || there == nil || there?["_attachments"] != nil)
                if !document.isGone { #expect(there?["caption"] as? String == caption(document)) }
            case .deletedThere:
                #expect(outcomes[index] == .removedThere)
                #expect(winner.isDeleted && there == nil)
            case .changedThere(let revision):
                guard case .conflict = outcomes[index] else {
                    Issue.record("\(outcomes[index])")
                    continue
                }
                #expect(winner.revision == revision)
            }
            let told = try await peer.object(
                "GET", "/\(PercentEncoding.encode(document.id))?rev=\(winner.revision)&conflicts=true")
            #expect(told["_conflicts"] == nil)
            if fates[index] == .ours, attached.contains(index) {
                let media = (there?["_attachments"] as? [String: [String: Any]])?["media"]
                #expect(media?["length"] as? Int == 3000)
            }
        }
        #expect(attached.count > 5)
        await peer.remove()
    }

    private func caption(_ document: CatalogueDocument) -> String? {
        (try? JSONSerialization.jsonObject(with: Data(document.body.utf8)) as? [String: Any])?["caption"] as? String
    }
}
