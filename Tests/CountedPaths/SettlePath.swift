import Submit
import SubmitStore
import SubmitJournal
import SystemPackage

extension CountedPaths {
    /// The store's verbs from a claim to its end: as many at once as small items are sent at once.
    @Sendable static func settle(_ count: Int, _ folder: FilePath) async throws {
        let journal = try Journal(path: folder.appending("journal.sqlite"))
        let acceptance = try await journal.beginAcceptance("all", in: nil, key: IdempotencyKey())
        let digests = Digests([.sha256: Array(repeating: 7, count: 32), .md5: Array(repeating: 8, count: 16)])
        let items = (0..<most).map { index in
            let item = MediaItem.sample(FilePath("/photos/IMG_\(10_000 + index).jpg"), digests: digests)
            return NewItem(
                item: item,
                identity: SourceIdentity(
                    size: item.size, modified: item.modified, changed: item.modified, inode: UInt64(1000 + index),
                    device: 3),
                submissions: [NewSubmission(destination: "next")])
        }
        _ = try await journal.accept(items, for: acceptance, portion: 0)
        try await journal.complete(acceptance)
        let worker = try await journal.makeWorker()
        var left = count
        while left > 0 {
            let claims = try await worker.claim(
                "next", first: [acceptance.batch], others: true, limit: min(32, left), inOrder: false)
            left -= claims.count
            for claim in claims {
                let objection = try await journal.objection(to: claim)
                precondition(objection == nil)
            }
            try await withThrowingTaskGroup { group in
                for claim in claims {
                    group.addTask {
                        let receipt = Receipt(
                            remoteID: claim.item.name, url: "https://photos.example/\(claim.item.name)",
                            evidence: .verified, marks: ["etag": "\"08080808080808080808080808080808\""])
                        try await journal.settle(claim, .done(receipt, place: 1))
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
