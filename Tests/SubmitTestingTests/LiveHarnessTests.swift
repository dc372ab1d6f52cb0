import Submit
import SubmitConcurrency
import SubmitTesting
import Testing

/// The suite on nothing but a submitter.
@Suite struct LiveHarnessTests {
    private func harness(_ place: InMemoryPlace, _ broken: BrokenSubmitter? = nil) -> LiveHarness {
        LiveHarness(
            secrets: [InMemoryHarness.secret], partSize: Int64(InMemorySubmitter.partSize),
            faults: [PlaceFaults(place: place)]
        ) {
            let sound = InMemorySubmitter(place, capabilities: InMemorySubmitter.resumingCapabilities)
            return broken?.wrap(sound) ?? sound
        }
    }

    @Test func `the contract holds in memory, and nothing remains`() async throws {
        let place = InMemoryPlace()
        place.put([1, 2, 3], as: "photo.jpg")
        let harness = harness(place)
        try await harness.begin()
        var notTried: Set<String> = []
        for promise in ContractSuite.cases {
            if case .notTried = try await promise.run(harness) { notTried.insert(promise.id) }
            #expect(place.outage == nil && place.script == nil, "after “\(promise)”")
        }
        #expect(place.contents == ["photo.jpg": [1, 2, 3]])
        #expect(harness.remains.isEmpty && harness.evidence == [.verified])
        #expect(try await place.list().isEmpty)
        #expect(notTried == ["digest-differs"])
    }

    @Test func `what cannot be removed is told by name`() async throws {
        let place = InMemoryPlace()
        let harness = LiveHarness {
            var deviation = Deviation(InMemorySubmitter(place))
            deviation.facets.removal = nil
            return deviation
        }
        try await harness.begin()
        let promise = try promise("size-1")
        #expect(try await promise.run(harness) == .kept)
        #expect(harness.remains == place.contents.keys.sorted() && harness.remains.count == 2)
        #expect(harness.remains.allSatisfy { $0.hasPrefix(harness.scratchName) })
    }

    @Test func `a place that is down is told at once`() async throws {
        let place = InMemoryPlace()
        place.outage = SubmitFailure(.hold(.unreachable, after: nil), code: "down", message: "It is down.")
        await #expect(throws: SubmitFailure.self) { try await harness(place).begin() }
    }

    private func promise(_ id: String) throws -> ContractCase {
        try #require(ContractSuite.cases.first { $0.id == id })
    }

    /// Invented photos are all taken at the same time, at which somebody may have taken one.
    @Test(arguments: [3, 300])
    func `someone's photo stays where the path says nothing of the name`(_ size: Int) async throws {
        // One of 300 bytes is the same as the sample.
        let theirs = ScriptedBytes.content(count: size)
        let place = InMemoryPlace()
        place.put(theirs, as: "2024-05-17.jpg")
        let dated = BrokenSubmitter("names copies by their date", breaks: []) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                var item = item
                item.name = "2024-05-17.jpg"
                return try await sound.submit(item, bytes: bytes, context: context)
            }
        }
        let harness = harness(place, dated)
        try await harness.begin()
        #expect(place.contents == ["2024-05-17.jpg": theirs])
        for promise in ContractSuite.cases {
            _ = try? await promise.run(harness)
            try #require(place.contents == ["2024-05-17.jpg": theirs], "after “\(promise)”")
        }
        #expect(harness.remains.isEmpty)
        let overwriting = try promise("conflict-overwrite")
        guard case .notTried = try await overwriting.run(harness) else {
            Issue.record("it was tried")
            return
        }
    }

    @Test func `copies are removed where broken uploads cannot be listed`() async throws {
        let place = InMemoryPlace()
        let harness = LiveHarness {
            var deviation = Deviation(InMemorySubmitter(place))
            deviation.facets.leftovers = Unlistable()
            return deviation
        }
        try await harness.begin()
        #expect(
            try await promise("size-1").run(harness)
                == .notTried(NotTried(lacking: .leftovers, "Listing uploads is forbidden.")))
        #expect(place.contents.isEmpty)
        #expect(harness.remains.count == 1 && harness.remains[0].contains("Listing uploads is forbidden"))
    }

    @Test func `a sample that is stored and fails is told by name`() async throws {
        let place = InMemoryPlace()
        place.script = { moment, _, _ in
            moment == .afterStoring
                ? .failure(SubmitFailure(.giveUp, code: "lost", message: "It is lost.")) : .success(())
        }
        let harness = harness(place)
        await #expect(throws: SubmitFailure.self) { try await harness.begin() }
        #expect(harness.remains == place.contents.keys.sorted() && harness.remains.count == 1)
        #expect(harness.remains.allSatisfy { $0.hasPrefix(harness.scratchName) })
    }

    @Test func `looking at a photo that was lost does not bring it there`() async throws {
        let place = InMemoryPlace()
        let known = Remembering()
        let losing = BrokenSubmitter("acknowledges what it loses", breaks: []) { deviation, sound in
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                if context.attempt > 1 { return try await sound.submit(item, bytes: bytes, context: context) }
                known.names.withLock { _ = $0.insert(item.name) }
                return Receipt(remoteID: item.name, evidence: .verified)
            }
            deviation.facets.presence = known
        }
        let harness = harness(place, losing)
        try await harness.begin()
        let arrival = try promise("size-1")
        await #expect(throws: ContractViolation.self) { try await arrival.run(harness) }
        #expect(place.contents.isEmpty)
    }

    @Test func `resuming is tried where the size of parts is not known`() async throws {
        let place = InMemoryPlace()
        let harness = LiveHarness {
            let whole = InMemorySubmitter(place)
            let inParts = InMemorySubmitter(place, capabilities: InMemorySubmitter.resumingCapabilities)
            var deviation = Deviation(inParts)
            deviation.submits = { (item, bytes, context) async throws(SubmitFailure) in
                try await (item.size > 8 << 20 ? inParts : whole).submit(item, bytes: bytes, context: context)
            }
            return deviation
        }
        try await harness.begin()
        #expect(try await promise("resume-midway").run(harness) == .kept)
        #expect(place.contents.isEmpty && place.uploads.isEmpty)
    }

    @Test(arguments: [false, true])
    func `folders that a path made go with the copies, and others stay`(_ wasThere: Bool) async throws {
        let place = InMemoryPlace()
        if wasThere { try await place.create("2024/05") }
        let dated = BrokenSubmitter("puts copies into folders by date", breaks: []) { deviation, _ in
            deviation.onContext { $0.changed(album: $0.album ?? "2024/05") }
        }
        let harness = harness(place, dated)
        try await harness.begin()
        #expect(try await promise("size-1").run(harness) == .kept)
        #expect(place.contents.isEmpty && harness.remains.isEmpty)
        #expect(try await place.list() == (wasThere ? ["2024/05"] : []))
    }

    @Test func `what needs a fault is not tried where none can be made`() async throws {
        let harness = LiveHarness { InMemorySubmitter() }
        try await harness.begin()
        for promise in ContractSuite.cases where ["fault-", "lost-"].contains(where: promise.id.hasPrefix) {
            guard case .notTried = try await promise.run(harness) else {
                Issue.record("“\(promise)” was tried")
                return
            }
        }
    }

    /// Those whose fault is in what only the place itself could tell.
    private static let unseen: Set<String> = [
        "lies about its digest", "exceeds its width", "leaves temporaries of what it could not store",
        "forgets to discard",
        "sends parts again that had landed", "checks by leaving something there",
        "stores again what was stored when it was asked to slow down", "stores again after the reply was lost",
    ]

    @Test(arguments: BrokenSubmitter.all.filter { !unseen.contains($0.fault) })
    func `the live suite catches a submitter that`(_ broken: BrokenSubmitter) async throws {
        let harness = harness(InMemoryPlace(), broken)
        var caught: [String] = []
        try await harness.begin()
        for promise in ContractSuite.cases where broken.promises.contains(promise.id) {
            do {
                _ = try await promise.run(harness)
            } catch {
                caught.append(promise.id)
            }
        }
        #expect(!caught.isEmpty)
    }
}

private struct Unlistable: LeftoverFacet {
    func list(sparing checkpoints: [Checkpoint]) async throws(SubmitFailure) -> [Leftover] {
        throw SubmitFailure(.giveUp, code: "forbidden", message: "Listing uploads is forbidden.")
    }
    func remove(_ leftover: Leftover) async throws(SubmitFailure) {}
}

/// Answers from its memory and does not look.
private final class Remembering: PresenceFacet {
    let names = Locked<Set<String>>([])
    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        names.withLock { $0.contains(receipt.remoteID) } ? .present(.verified) : .absent
    }
}

/// Makes faults where copies are kept in memory.
private struct PlaceFaults: LiveFaults {
    let contract: InMemoryContractPlace

    init(place: InMemoryPlace) {
        contract = InMemoryContractPlace(resumes: false, readsFiles: false, wrap: { $0 }, place: place)
    }

    func make(_ fault: ContractFault, after requests: Int?) -> Bool {
        _ = requests.map { contract.submitter(meeting: fault, atRequest: $0) } ?? contract.submitter(meeting: fault)
        return true
    }

    func end() { contract.endFault() }

    var hasMetFault: Bool { contract.hasMetFault }
}
