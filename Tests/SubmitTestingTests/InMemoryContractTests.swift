import Submit
import SubmitTesting
import Testing

/// The suite is held to its own reference: what it asks for can be kept.
@Suite struct InMemoryContractTests {
    @Test(arguments: ContractSuite.cases)
    func `the contract holds in memory`(_ promise: ContractCase) async throws {
        try await promise.run(InMemoryHarness())
    }

    @Test(arguments: Sloppiness.allCases)
    func `the contract catches a submitter that does not keep it`(_ sloppiness: Sloppiness) async throws {
        let promise = try #require(ContractSuite.cases.first { $0.name == sloppiness.promise })
        await #expect(throws: ContractViolation.self) {
            try await promise.run(SloppyHarness(sloppiness: sloppiness))
        }
    }
}

private struct InMemoryHarness: ContractHarness {
    func makePlace() -> any ContractPlace { InMemoryContractPlace() }
}

private struct InMemoryContractPlace: ContractPlace {
    let place = InMemoryPlace()
    let checksDigests = true
    let secrets: [String] = []

    func makeSubmitter() -> any Submitter { InMemorySubmitter(place) }
    func contents() -> [String: [UInt8]] { place.contents }
    func leftovers() -> [String] { [] }
    func put(_ bytes: [UInt8], named name: String) { place.put(bytes, as: name) }
    func remove() {}

    func submitter(meeting fault: ContractFault) -> (any Submitter)? {
        let remedy: Remedy =
            switch fault {
            case .unreachable: .park(.unreachable, afterMilliseconds: nil)
            case .refusesCredentials: .renewCredentials
            case .full: .park(.full, afterMilliseconds: nil)
            }
        let place = InMemoryPlace()
        place.script = { _, _, _ in .failure(SubmitFailure(remedy, code: "scripted", "It was scripted to fail.")) }
        return InMemorySubmitter(place)
    }
}

/// A promise that a submitter breaks, and the case that must notice.
enum Sloppiness: String, CaseIterable {
    case overwrites, storesTruncated, ignoresCancel, forgetsProgress, alwaysNew, claimsAlbums

    var promise: String {
        switch self {
        case .overwrites: "other bytes with the name stay, and the item takes the next name"
        case .storesTruncated: "a source that ends too early leaves nothing"
        case .ignoresCancel: "a cancelled submission ends as cancelled and leaves nothing"
        case .forgetsProgress: "an item of 65536 bytes arrives whole"
        case .alwaysNew: "a submission made again is recognised and not sent again"
        case .claimsAlbums: "facts and facets agree"
        }
    }
}

private struct SloppyHarness: ContractHarness {
    let sloppiness: Sloppiness
    func makePlace() -> any ContractPlace { SloppyPlace(sloppiness: sloppiness) }
}

private struct SloppyPlace: ContractPlace {
    let sloppiness: Sloppiness
    let inner = InMemoryContractPlace()
    let checksDigests = true
    let secrets: [String] = []

    func makeSubmitter() -> any Submitter { SloppySubmitter(sloppiness: sloppiness, place: inner.place) }
    func contents() -> [String: [UInt8]] { inner.contents() }
    func leftovers() -> [String] { [] }
    func put(_ bytes: [UInt8], named name: String) { inner.put(bytes, named: name) }
    func submitter(meeting fault: ContractFault) -> (any Submitter)? { nil }
    func remove() {}
}

private struct SloppySubmitter: Submitter {
    let sloppiness: Sloppiness
    let place: InMemoryPlace

    var capabilities: Capabilities { InMemorySubmitter.capabilities }
    var facets: Facets { sloppiness == .claimsAlbums ? Facets() : InMemorySubmitter(place).facets }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let honest = InMemorySubmitter(place)
        switch sloppiness {
        case .overwrites:
            let context = SubmissionContext(submission: context.submission, onConflict: .overwrite)
            return try await honest.submit(item, bytes: bytes, context: context)
        case .storesTruncated:
            place.put([], as: item.name)
            return try await honest.submit(item, bytes: bytes, context: context)
        case .ignoresCancel:
            return try await Task { () async -> Result<Receipt, SubmitFailure> in
                do throws(SubmitFailure) {
                    return .success(try await honest.submit(item, bytes: bytes, context: context))
                } catch {
                    return .failure(error)
                }
            }.value.get()
        case .forgetsProgress:
            let context = SubmissionContext(
                submission: context.submission, album: context.album, onConflict: context.onConflict)
            return try await honest.submit(item, bytes: bytes, context: context)
        case .alwaysNew:
            var receipt = try await honest.submit(item, bytes: bytes, context: context)
            receipt.wasThere = false
            return receipt
        case .claimsAlbums:
            return try await honest.submit(item, bytes: bytes, context: context)
        }
    }

    func discard(_ item: MediaItem, context: SubmissionContext) {}
    func check() async throws(SubmitFailure) -> String { "Fine." }
}
