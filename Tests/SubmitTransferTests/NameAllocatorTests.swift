import Submit
import SubmitConcurrency
import SystemPackage
import Testing

@testable import SubmitTransfer

/// A shelf that counts how often it is asked.
private final class Shelf: Sendable {
    struct State {
        var copies: [String: [UInt8]] = [:]
        var looks = 0
        var abandoned = 0
        var noted: [String: [String]] = [:]
        /// Stored, and not seen by looks yet.
        var hidden: Set<String> = []
    }

    let state = Locked(State())

    var names: Set<String> { state.withLock { Set($0.copies.keys) } }
}

private struct ShelfUpload: NamedStorage {
    let shelf: Shelf
    let item: MediaItem
    /// Somebody else stores there between each look and the upload.
    var isRaced = false
    var holdsFor: AsyncSemaphore?

    var place: String { "the shelf" }
    func identity(of address: String) -> String { "\(ObjectIdentifier(shelf)) \(address)" }
    func address(_ number: Int) -> String { number == 0 ? item.name : FileName(item.name).numbered(number) }

    func look(at address: String, round: Int) async throws(SubmitFailure) -> NameSighting<Void> {
        let copy = shelf.state.withLock { state in
            state.looks += 1
            return state.hidden.contains(address) ? nil : state.copies[address]
        }
        guard let copy else { return .free }
        guard copy != item.digests[.sha256] else {
            return .same(Receipt(remoteID: address, evidence: .verified, wasThere: true))
        }
        return .other((), OtherContent(size: item.size, sha256: copy))
    }

    func store(at address: String, over sighting: NameSighting<Void>) async throws(SubmitFailure) -> Receipt? {
        if let holdsFor, await !holdsFor.acquire() { throw .cancelled }
        let replaces = if case .other = sighting { true } else { false }
        let isStored = shelf.state.withLock { state in
            if isRaced || !replaces && state.copies[address] != nil { return false }
            state.copies[address] = item.digests[.sha256]
            return true
        }
        return isStored ? Receipt(remoteID: address, evidence: .verified) : nil
    }

    func note(_ address: String) { shelf.state.withLock { $0.noted[item.name, default: []].append(address) } }

    var notedAddresses: [String] { shelf.state.withLock { $0.noted[item.name] ?? [] } }

    func abandon() async throws(SubmitFailure) -> String? {
        shelf.state.withLock { $0.abandoned += 1 }
        return nil
    }
}

private func item(_ name: String, _ content: Int) throws -> MediaItem {
    let sha256 = withUnsafeBytes(of: content.bigEndian) { Array($0) } + [UInt8](repeating: 0, count: 24)
    return MediaItem(
        source: FilePath("/card/\(content)/\(name)"), name: name, size: 1000, type: .other,
        modified: Timestamp(nanoseconds: 0), digests: Digests([.sha256: sha256]))
}

@Suite struct `A name allocator` {
    private let shelf = Shelf()
    private let names = NameAllocator()

    private func store(
        _ name: String, _ content: Int, _ policy: ConflictPolicy = .rename,
        context: SubmissionContext? = nil
    ) async throws -> Receipt {
        let item = try item(name, content)
        return try await names.store(
            item, in: ShelfUpload(shelf: shelf, item: item),
            context: context ?? SubmissionContext(submission: "s\(content)", onConflict: policy))
    }

    @Test func `stores 400 items of one name at the cost of two looks for each`() async throws {
        for content in 0..<400 { _ = try await store("photo.jpg", content) }
        #expect(shelf.names.count == 400)
        #expect(shelf.state.withLock { $0.looks } <= 800)
    }

    @Test func `stores 10,000 items of one name that come side by side, each once`() async throws {
        try await withThrowingTaskGroup { group in
            for worker in 0..<32 {
                group.addTask {
                    for content in stride(from: worker, to: 10_000, by: 32) { _ = try await store("p.jpg", content) }
                }
            }
            try await group.waitForAll()
        }
        #expect(shelf.names.count == 10_000)
        #expect(shelf.state.withLock { Set($0.copies.values).count } == 10_000)
        #expect(shelf.state.withLock { $0.looks } < 30_000)
    }

    @Test func `finds each of 400 items again under the number that it got`() async throws {
        for content in 0..<400 { _ = try await store("photo.jpg", content) }
        let before = shelf.state.withLock { $0.looks }
        for content in 0..<400 { #expect(try await store("photo.jpg", content).wasThere) }
        #expect(shelf.names.count == 400)
        #expect(shelf.state.withLock { $0.looks } - before == 400)
    }

    @Test func `finds an item again in a new process, which knows nothing`() async throws {
        for content in 0..<20 { _ = try await store("photo.jpg", content) }
        let item = try item("photo.jpg", 17)
        let receipt = try await NameAllocator().store(
            item, in: ShelfUpload(shelf: shelf, item: item), context: SubmissionContext(submission: "new"))
        #expect(receipt.wasThere)
        #expect(receipt.remoteID == "photo-17.jpg")
    }

    @Test func `stores the same bytes once, though two submissions bring them at once`() async throws {
        let gate = AsyncSemaphore(0)
        let item = try item("photo.jpg", 1)
        let upload = ShelfUpload(shelf: shelf, item: item, holdsFor: gate)
        async let one = names.store(item, in: upload, context: SubmissionContext(submission: "one"))
        async let two = names.store(item, in: upload, context: SubmissionContext(submission: "two"))
        gate.release()
        gate.release()
        let receipts = try await [one, two]
        #expect(receipts.map(\.remoteID) == ["photo.jpg", "photo.jpg"])
        #expect(receipts.count { $0.wasThere } == 1)
    }

    @Test func `doesn't wait for another photo's upload, and takes the next name`() async throws {
        let gate = AsyncSemaphore(0)
        let slow = try item("photo.jpg", 1)
        let upload = ShelfUpload(shelf: shelf, item: slow, holdsFor: gate)
        let first = Task { try await names.store(slow, in: upload, context: SubmissionContext(submission: "slow")) }
        while shelf.state.withLock({ $0.looks }) == 0 { await Task.yield() }
        let second = try await store("photo.jpg", 2)
        #expect(second.remoteID == "photo-1.jpg")
        gate.release()
        #expect(try await first.value.remoteID == "photo.jpg")
    }

    @Test func `finds an unanswered upload under the next name, even if the item's own name is free by then`()
        async throws
    {
        let slow = try item("photo.jpg", 1)
        let upload = ShelfUpload(shelf: shelf, item: slow, holdsFor: AsyncSemaphore(0))
        let first = Task { try await names.store(slow, in: upload, context: SubmissionContext(submission: "slow")) }
        while shelf.state.withLock({ $0.looks }) == 0 { await Task.yield() }
        #expect(try await store("photo.jpg", 2).remoteID == "photo-1.jpg")
        first.cancel()
        _ = await first.result
        let again = try await store("photo.jpg", 2, context: SubmissionContext(submission: "s2", attempt: 2))
        #expect(again.remoteID == "photo-1.jpg" && again.wasThere)
        #expect(shelf.names == ["photo-1.jpg"])
    }

    @Test func `tries again, and stores no second copy, while an unanswered upload may not be visible yet`()
        async throws
    {
        let hash = try item("photo.jpg", 2).digests[.sha256]
        shelf.state.withLock { state in
            (state.copies["photo-1.jpg"], state.hidden, state.noted["photo.jpg"]) = (
                hash, ["photo-1.jpg"], ["photo-1.jpg"]
            )
        }
        let failure = await #expect(throws: SubmitFailure.self) {
            try await store("photo.jpg", 2, context: SubmissionContext(submission: "s2", attempt: 2))
        }
        #expect(failure?.code == "conflict" && shelf.names == ["photo-1.jpg"])
        shelf.state.withLock { $0.hidden = [] }
        let found = try await store("photo.jpg", 2, context: SubmissionContext(submission: "s2", attempt: 3))
        #expect(found.remoteID == "photo-1.jpg" && found.wasThere && shelf.names == ["photo-1.jpg"])
    }

    @Test func `goes back to no address that is not one of the item's names`() async throws {
        shelf.state.withLock {
            $0.noted["photo.jpg"] = ["2025/photo-1.jpg", "photo.jpg", "other-1.jpg", "photo-01.jpg"]
        }
        let receipt = try await store("photo.jpg", 1, context: SubmissionContext(submission: "s1", attempt: 2))
        #expect(receipt.remoteID == "photo.jpg" && shelf.names == ["photo.jpg"])
    }

    @Test func `replaces under the item's own name only, and only what the context allows`() async throws {
        _ = try await store("photo.jpg", 1)
        #expect(try await store("photo.jpg", 2, .overwrite).remoteID == "photo.jpg")
        let refusing = SubmissionContext(
            submission: "three", onConflict: .overwrite, mayReplace: { _ in .success(false) })
        #expect(try await store("photo.jpg", 3, context: refusing).remoteID == "photo-1.jpg")
        #expect(try await store("photo.jpg", 4, context: refusing).remoteID == "photo-2.jpg")
    }

    @Test func `leaves other bytes alone under the policies skip and fail, and removes what was sent`() async throws {
        _ = try await store("photo.jpg", 1)
        let skipped = try await store("photo.jpg", 2, .skip)
        #expect(skipped.evidence == .unknown && skipped.wasThere)
        let failure = await #expect(throws: SubmitFailure.self) { try await store("photo.jpg", 3, .fail) }
        #expect(failure?.code == "name-taken" && failure?.remedy == .giveUp)
        #expect(shelf.names == ["photo.jpg"])
        #expect(shelf.state.withLock { $0.abandoned } == 2)
    }

    @Test func `tells to try again where others come first each time`() async throws {
        let item = try item("photo.jpg", 1)
        let failure = await #expect(throws: SubmitFailure.self) {
            try await names.store(
                item, in: ShelfUpload(shelf: shelf, item: item, isRaced: true),
                context: SubmissionContext(submission: "raced"))
        }
        #expect(failure?.code == "conflict" && failure?.remedy == .retry(after: nil))
    }

    @Test func `gives up after four damaged copies of one item`() async throws {
        let item = try item("photo.jpg", 1)
        var search = names.search(for: "photo.jpg", in: "the shelf", of: item, policy: .rename)
        let damaged = OtherContent(size: 1000, isDamagedCopy: true)
        for _ in 0..<3 { #expect(try search.passOver("photo.jpg", damaged) == .tryNext) }
        let failure = #expect(throws: SubmitFailure.self) { try search.passOver("photo.jpg", damaged) }
        #expect(failure?.code == "damaged")
    }

    @Test func `waits for an upload to a name that differs in case, and then looks for itself`() async throws {
        let gate = AsyncSemaphore(0)
        let slow = try item("Photo.jpg", 1)
        let upload = ShelfUpload(shelf: shelf, item: slow, holdsFor: gate)
        let first = Task { try await names.store(slow, in: upload, context: SubmissionContext(submission: "slow")) }
        while shelf.state.withLock({ $0.looks }) == 0 { await Task.yield() }
        async let second = store("photo.jpg", 2)
        gate.release()
        #expect(try await [first.value.remoteID, second.remoteID] == ["Photo.jpg", "photo.jpg"])
    }
}
