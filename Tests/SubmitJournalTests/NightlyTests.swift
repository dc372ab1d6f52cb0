import Foundation
import GRDB
import Submit
import SubmitConcurrency
import SystemPackage
import Testing

@testable import SubmitJournal

/// A journal over years.
@Suite(.timeLimit(.minutes(15))) struct `A journal that is pruned` {
    let folder = TemporaryFolder()
    private var path: FilePath { folder.path.appending("journal.sqlite") }
    private static let year = Duration.seconds(365 * 86_400)

    private static func photo(_ number: Int) -> NewItem {
        NewItem(
            item: MediaItem(
                source: FilePath("/photos/\(number).jpg"), name: "\(number).jpg", size: Int64(number) + 1,
                type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"), modified: .now,
                digests: Digests([.sha256: (0..<32).map { UInt8(truncatingIfNeeded: number >> $0) }])),
            identity: SourceIdentity(size: Int64(number) + 1, modified: .now, inode: UInt64(number), device: 1),
            submissions: [NewSubmission(destination: "a"), NewSubmission(destination: "b")])
    }

    private func prune(_ journal: Journal) async throws {
        var last: SubmissionID = 0
        while let next = try await journal.forget(endedBefore: Self.year, after: last, limit: 500, isDryRun: false).next
        {
            last = next
        }
        var batch: BatchID = 0
        while let next = try await journal.forgetBatches(
            begunBefore: Self.year, after: batch, limit: 500, isDryRun: false
        )
        .next {
            batch = next
        }
    }

    /// `SUBMIT_NIGHTS=3650` draws each night of ten years; `SUBMIT_WORLD_SEED` others.
    @Test func `follows the photos and not the nights, though each sends old ones again`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let nights = environment["SUBMIT_NIGHTS"].flatMap(Int.init) ?? 60
        var drawn = SeededNumbers(state: environment["SUBMIT_WORLD_SEED"].flatMap(UInt64.init) ?? 22)
        let time = Locked(Timestamp(nanoseconds: 1_700_000_000_000_000_000))
        let journal = try Journal(path: path) { time.withLock { $0 } }
        let worker = try await journal.makeWorker()
        let (step, photosANight) = (Duration.seconds(10 * 365 * 86_400 / nights), 2)
        var photos = 0
        var (rows, sizes): ([Int], [Double]) = ([], [])
        for night in 1...nights {
            time.withLock { $0 = $0.advanced(by: step) }
            var items = (0..<Int.random(in: 0...2 * photosANight, using: &drawn)).map { Self.photo(photos + $0) }
            for _ in 0..<20 where photos > 0 { items.append(Self.photo(Int.random(in: 0..<photos, using: &drawn))) }
            photos += items.count { $0.item.size > Int64(photos) }
            try await journal.accept(items)
            for destination in ["a", "b"] {
                let claims = try await worker.take(destination)
                try await withThrowingTaskGroup { group in
                    for claim in claims {
                        let isFailed = Int.random(in: 0..<10, using: &drawn) == 0
                        group.addTask {
                            try await journal.settle(
                                claim,
                                isFailed
                                    ? .failed(.scripted)
                                    : .done(Receipt(remoteID: claim.item.name, evidence: .verified)))
                        }
                    }
                    try await group.waitForAll()
                }
            }
            if night % (nights / 20) == 0 {
                try await prune(journal)
                let size = try await journal.compact()
                #expect(size.obstacle == nil)
                rows.append(try await journal.tallies(SubmissionSelection()).reduce(0) { $0 + $1.count })
                sizes.append(Double(size.bytes) / Double(photos))
            }
        }
        let found = try #require(JournalExamination.of(path, isThorough: true))
        #expect(found.integrity == "ok" && found.flaws.isEmpty && found.trouble == nil, "\(found)")
        let history = try await journal.forget(endedBefore: .zero, after: 0, limit: .max, isDryRun: true)
        let newest = nights / 10 * (20 + photosANight) * 2
        // A proof, and perhaps a later failure, of each photo at each place; and all of the last year.
        let all = try #require(rows.last)
        #expect(all <= photos * 2 * 2 + newest * 5 / 4, "\(rows) of \(photos) photos")
        #expect(all - history.submissions <= photos * 2 * 2)
        let unpruned = nights * (20 + photosANight) * 2
        #expect(all * 2 < unpruned, "\(all) of \(unpruned)")
        // Bytes a photo fall, as the last year has less and less of them.
        #expect(try #require(sizes.last) <= sizes[3], "\(sizes)")
        #expect(JournalFile.size(path).map(Double.init)! / Double(photos) <= sizes[3])
        print(
            "\(nights) nights, \(photos) photos: \(rows.last!) rows, \(Int(sizes.last!)) bytes a photo; of each half year: \(rows)"
        )
    }

    @Test func `gets smaller once it was made by an older version, when nobody else works on it`() async throws {
        var queue: DatabaseQueue? = try DatabaseQueue(path: path.string)
        try JournalSchema.migrator.migrate(try #require(queue))
        queue = nil
        let time = Locked(Timestamp(nanoseconds: 1_700_000_000_000_000_000))
        let (journal, other) = (try Journal(path: path) { time.withLock { $0 } }, try Journal(path: path))
        for _ in 0..<3 { try await journal.accept((0..<900).map(Self.photo)) }
        _ = try await journal.cancel(SubmissionSelection())
        time.withLock { $0 = $0.advanced(by: Self.year + .seconds(1)) }
        try await prune(journal)
        var worker: (any StoreWorker)? = try await other.makeWorker()
        try await worker?.attend([1])
        let busy = try await journal.compact()
        #expect(busy.bytes == busy.bytesBefore && busy.obstacle?.contains("nobody else") == true, "\(busy)")
        try await worker?.leave(nil)
        worker = nil
        while try await journal.compact().obstacle != nil {
            await Task.yield()
            try await journal.sweep()
        }
        #expect(try await journal.size().bytes < busy.bytesBefore / 2)
        #expect(try await journal.read { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") } == 2)
        #expect(JournalExamination.of(path, isThorough: true)?.flaws == [])
    }
}

/// SplitMix64: the same numbers again for the same seed.
private struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var number = state
        number = (number ^ (number >> 30)) &* 0xbf58_476d_1ce4_e5b9
        number = (number ^ (number >> 27)) &* 0x94d0_49bb_1331_11eb
        return number ^ (number >> 31)
    }
}
