import Submit
import SubmitStore
import SystemPackage

extension NewItem {
    /// A photo that is waiting for `a` and for `b`.
    static func photo(
        _ name: String = "a.jpg", path: FilePath? = nil, size: Int64 = 10, to destinations: [String] = ["a", "b"],
        removal: SourceRemoval? = nil, key: String? = nil
    ) -> NewItem {
        let modified = Timestamp(nanoseconds: 1_700_000_000_123_456_789)
        return NewItem(
            item: MediaItem(
                source: path ?? FilePath("/photos/\(name)"), name: name, size: size,
                type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"), modified: modified,
                captured: CaptureTime("2024-05-17T18:42:07+02:00"), caption: "Am Hafen", tags: ["a,b", "é"],
                digests: Digests([.sha256: Array(repeating: 7, count: 32), .md5: Array(repeating: 8, count: 16)])),
            identity: SourceIdentity(size: size, modified: modified, inode: .max, device: 3),
            submissions: destinations.map { NewSubmission(destination: $0) }, removal: removal, idempotencyKey: key)
    }

    /// So many photos.
    static func photos(_ count: Int, to destinations: [String] = ["a", "b"]) -> [NewItem] {
        (0..<count).map { photo("\($0).jpg", to: destinations) }
    }
}

extension SubmitFailure {
    static let scripted = SubmitFailure(.giveUp, code: "test", message: "It failed.")
}

extension Receipt {
    static func stored(_ remoteID: String = "x", _ evidence: Evidence = .verified) -> Receipt {
        Receipt(remoteID: remoteID, evidence: evidence)
    }
}

/// What was accepted in one go.
struct Accepted {
    let batch: BatchID
    /// Of each item.
    let submissions: [[SubmissionID]]
}

extension Store {
    /// Accepts all of a batch, or more for one.
    @discardableResult
    func accept(_ items: [NewItem], in batch: BatchID? = nil) async throws -> Accepted {
        let acceptance = try await beginAcceptance("all", in: batch, key: IdempotencyKey())
        let accepted = try await accept(items, for: acceptance, portion: 0) ?? []
        try await complete(acceptance)
        return Accepted(batch: acceptance.batch, submissions: accepted.map(\.submissions))
    }

    func begin(_ request: String = "all", in batch: BatchID? = nil) async throws -> OpenAcceptance {
        try await beginAcceptance(request, in: batch, key: IdempotencyKey())
    }

    func record(_ id: SubmissionID) async throws -> SubmissionRecord? {
        try await submissions(SubmissionSelection(submission: id)).first
    }

    /// Sweeps until something shows that one who was let go of is gone: whoever still writes for it keeps it for a moment.
    ///
    /// - Returns: how many submissions came back.
    @discardableResult
    func sweep(until isGone: () async throws -> Bool) async throws -> Int {
        var count = 0
        repeat {
            try Task.checkCancellation()
            count += try await sweep()
            await Task.yield()
        } while try await !isGone()
        return count
    }
}

extension StoreWorker {
    func take(
        _ destination: String = "a", first: [BatchID] = [], others: Bool = true, limit: Int = 100, inOrder: Bool = false
    ) async throws -> [ClaimedSubmission] {
        try await claim(destination, first: first, others: others, limit: limit, inOrder: inOrder)
    }
}

extension AcceptedItem {
    /// What is waiting of it, be it known from before.
    var submissions: [SubmissionID] {
        switch self {
        case .accepted(let ids): ids
        case .acceptedUnlessKnown(let ids, _): ids.values.sorted()
        case .known(let item): item.submissions
        }
    }
}
