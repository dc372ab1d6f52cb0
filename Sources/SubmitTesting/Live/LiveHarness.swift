public import Submit
internal import SubmitConcurrency

/// A harness that stands on nothing but a submitter: for accounts, servers and programs that nobody can look at from
/// outside.
///
/// What is there is told by the submitter's own `PresenceFacet`, and by `Verification.readback` where it reads back.
/// All items get scratch names that begin with ``scratchName``, and all albums go below an album of that name. Each case
/// removes with the `RemovalFacet` what it brought; what could not be removed is told by ``remains``. Faults are made by
/// ``LiveFaults``; without, the cases about them end as ``ContractOutcome/notTried(_:)``.
///
/// ```swift
/// let harness = LiveHarness(partSize: 8 << 20) { try type.make(settings) }
/// try await harness.begin()
/// for promise in ContractSuite.cases { print(promise, try await promise.run(harness)) }
/// print(harness.evidence, harness.remains)
/// ```
///
/// Cases must run one after the other: they share what the submitter allows.
public final class LiveHarness: ContractHarness {
    private struct State {
        var places = 0
        var evidence: Set<Evidence> = []
        var remains: Set<String> = []
        var before: LiveBeginning
        /// The name of a first item that was sent and of which no receipt speaks.
        var lost: String?
    }

    /// What the names of all items and albums begin with: `submit-contract-` and six random characters.
    public let scratchName: String
    private let secrets: [String]
    private let partSize: Int64?
    private let faults: [any LiveFaults]
    private let make: @Sendable () async throws(SubmitFailure) -> any Submitter
    private let state: Locked<State>

    /// - Parameters:
    ///   - secrets: those that the submitter was given.
    ///   - partSize: the size of the parts that it sends large items in, where that is known.
    ///   - faults: what can make it fail; of several, the first that can make a fault does.
    ///   - make: a new submitter each time.
    public init(
        secrets: [String] = [], partSize: Int64? = nil, faults: [any LiveFaults] = [],
        _ make: @escaping @Sendable () async throws(SubmitFailure) -> any Submitter
    ) {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        scratchName = "submit-contract-" + String((0..<6).map { _ in letters.randomElement()! })
        state = Locked(State(before: LiveBeginning(scratchName: scratchName)))
        self.secrets = secrets
        self.partSize = partSize
        self.faults = faults
        self.make = make
    }

    /// Proves that there is a destination at all, by a check and one small item, from which it is learned how receipts
    /// name their items.
    ///
    /// - Throws: what the destination says. Then no case need be tried; ``remains`` names the item, which may have been
    ///   stored all the same.
    public func begin() async throws(SubmitFailure) {
        let submitter = try await make()
        _ = try await submitter.check()
        let albums = await Self.albums(of: submitter)
        state.withLock { $0.before.albums = albums }
        let place = newPlace()
        state.withLock { $0.lost = place.sampleName }
        let outcome = await Result { () async throws(SubmitFailure) in
            try await place.submitSample()
        }
        if case .success(let sample) = outcome {
            state.withLock { state in
                state.before.sample = sample
                state.lost = nil
            }
        }
        await Task { await place.remove() }.value
        _ = try outcome.get()
    }

    private static func albums(of submitter: any Submitter) async -> Set<String>? {
        guard let facet = submitter.facets.albums else { return nil }
        let found = await Result { () async throws(SubmitFailure) in try await facet.list() }
        return try? Set(found.get())
    }

    /// A submitter for the destination, as the cases get them, with names left as they are.
    ///
    /// - Throws: as what makes them does: what is wrong with the settings.
    public func newSubmitter() async throws(SubmitFailure) -> any Submitter { try await make() }

    public func makePlace() async throws -> any ContractPlace { newPlace() }

    private func newPlace() -> LivePlace {
        let (number, before) = state.withLock { state in
            state.places += 1
            return (state.places, state.before)
        }
        let digits = String(number)
        return LivePlace(
            // None of these numbers is the beginning of another.
            scratch: "\(scratchName)-\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)",
            before: before,
            secrets: secrets, partSize: partSize, faults: faults, make: make,
            saw: { [state] evidence in state.withLock { _ = $0.evidence.insert(evidence) } },
            remains: { [state] names in state.withLock { $0.remains.formUnion(names) } })
    }

    /// How sure receipts were, best first.
    public var evidence: [Evidence] {
        let seen = state.withLock { $0.evidence }
        return Evidence.allCases.filter(seen.contains)
    }

    /// What could not be removed, by name.
    public var remains: [String] {
        state.withLock { state in state.remains.union(state.lost.map { [$0] } ?? []).sorted() }
    }
}
