import Submit
import SubmitTesting
import Testing

/// The suite on nothing but a submitter.
@Suite struct LiveHarnessTests {
    private func harness(_ place: InMemoryPlace, _ broken: BrokenSubmitter? = nil) -> LiveHarness {
        LiveHarness(secrets: [InMemoryHarness.secret], partSize: Int64(InMemorySubmitter.partSize)) {
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
            if case .notTried = try await promise.run(harness) { notTried.insert(promise.name) }
        }
        #expect(place.contents == ["photo.jpg": [1, 2, 3]])
        #expect(harness.remains.isEmpty && harness.evidence == [.verified])
        #expect(try await place.list().isEmpty)
        #expect(notTried.count == 9, "\(notTried.sorted())")
    }

    @Test func `what cannot be removed is told by name`() async throws {
        let place = InMemoryPlace()
        let harness = LiveHarness {
            var deviation = Deviation(InMemorySubmitter(place))
            deviation.facets.removal = nil
            return deviation
        }
        try await harness.begin()
        let promise = try #require(ContractSuite.cases.first { $0.name.contains("1 bytes") })
        #expect(try await promise.run(harness) == .kept)
        #expect(harness.remains == place.contents.keys.sorted() && harness.remains.count == 2)
        #expect(harness.remains.allSatisfy { $0.hasPrefix(harness.scratchName) })
    }

    @Test func `a place that is down is told at once`() async throws {
        let place = InMemoryPlace()
        place.outage = SubmitFailure(.park(.unreachable, afterMilliseconds: nil), code: "down", "It is down.")
        await #expect(throws: SubmitFailure.self) { try await harness(place).begin() }
    }

    /// Those whose fault needs a fault of the place, or is in what only the place itself could tell.
    private static let unseen: Set<String> = [
        "lies about its digest", "loses the error of a place without room", "renews its credentials when there is no room",
        "gives up what cannot be reached", "tries again with the credentials that were refused",
        "tries again at once when it is asked to slow down", "gives up each photo for what is wrong with the place",
        "stores again after the reply was lost", "says absent when it cannot reach", "exceeds its width",
        "leaks its secret in a failure", "leaves temporaries of what it could not store", "forgets to discard",
        "sends parts again that had landed", "checks by leaving something there",
    ]

    @Test(arguments: BrokenSubmitter.all.filter { !unseen.contains($0.fault) })
    func `the live suite catches a submitter that`(_ broken: BrokenSubmitter) async throws {
        let harness = harness(InMemoryPlace(), broken)
        var caught: [String] = []
        try await harness.begin()
        for promise in ContractSuite.cases where broken.promises.contains(promise.name) {
            do {
                try await promise.run(harness)
            } catch {
                caught.append(promise.name)
            }
        }
        #expect(!caught.isEmpty)
    }
}
