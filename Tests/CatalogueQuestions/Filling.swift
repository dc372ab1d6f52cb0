import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitStore
import SystemPackage

/// Pictures come into a journal by its own verbs: accepted, claimed and settled, and their words written down.
struct Filling {
    private let journal: Journal
    private let clock: Locked<Timestamp>

    init(_ path: FilePath) throws {
        let clock = Locked(Timestamp(nanoseconds: 1_600_000_000_000_000_000))
        self.clock = clock
        journal = try Journal(path: path) { clock.withLock { $0 } }
    }

    func fill(_ count: Int, _ library: DrawnLibrary) async throws {
        var (library, left, began) = (library, count, ContinuousClock.now)
        let worker = try await journal.makeWorker()
        // Whoever settles waits a little for others, who meanwhile accept.
        var settling: Task<Void, any Error>?
        while left > 0 {
            let burst = library.burst(atMost: left)
            left -= burst.pictures.count
            clock.withLock { $0 = $0.advanced(by: .seconds(3600)) }
            let batch = try await accept(burst)
            let pictures = Dictionary(uniqueKeysWithValues: burst.pictures.map { ($0.item.name, $0) })
            var arrivals: [Arrival] = []
            for destination in library.destinations {
                let claims = try await worker.claim(
                    destination, first: [batch], others: false, limit: burst.pictures.count, inOrder: false)
                arrivals += claims.compactMap { claim in
                    pictures[claim.item.name].map { picture in
                        Arrival(claim: claim, receipt: Self.receipt(claim), place: 1, facts: picture.facts)
                    }
                }
            }
            precondition(arrivals.count == burst.pictures.reduce(0) { $0 + $1.destinations.count })
            try await settling?.value
            journal.owner = burst.owner
            settling = Task { [journal, arrivals] in
                let settled = try await journal.settle(arrivals: { arrivals })
                precondition(settled.allSatisfy { $0?.state == .done })
            }
        }
        try await settling?.value
        print("  \(count) pictures accepted, claimed and settled in \(Self.seconds(since: began)) s", terminator: "")
        began = .now
        while try await journal.catchUp() {}
        print(", their words written down in \(Self.seconds(since: began)) s")
    }

    private static func seconds(since began: ContinuousClock.Instant) -> Int64 {
        began.duration(to: .now).components.seconds
    }

    private func accept(_ burst: DrawnLibrary.Burst) async throws -> BatchID {
        let acceptance = try await journal.beginAcceptance("all", in: nil, key: IdempotencyKey())
        let now = clock.withLock { $0 }
        let items = burst.pictures.enumerated().map { index, picture in
            NewItem(
                item: picture.item,
                identity: SourceIdentity(
                    size: picture.item.size, modified: picture.item.modified, changed: now,
                    inode: UInt64(now.seconds) << 10 + UInt64(index), device: 3),
                submissions: picture.destinations.map {
                    NewSubmission(destination: $0, options: SubmissionOptions(album: burst.album))
                })
        }
        _ = try await journal.accept(items, for: acceptance, portion: 0)
        try await journal.complete(acceptance)
        return acceptance.batch
    }

    private static func receipt(_ claim: ClaimedSubmission) -> Receipt {
        switch claim.destination {
        case "nas": return Receipt(remoteID: "\(claim.album ?? "photos")/\(claim.item.name)", evidence: .verified)
        case let name:
            return Receipt(
                remoteID: claim.item.name, url: "https://\(name).example/photos/\(claim.item.name)",
                evidence: name == "cloud" ? .echoed : .accepted)
        }
    }
}
