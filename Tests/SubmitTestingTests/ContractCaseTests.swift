import Submit
import Testing

@testable import SubmitTesting

/// What programs, harnesses and logs call the cases. An id that changes here changes for all of them.
@Suite struct `The cases of the contract` {
    private static let ids = """
        facts-agree check-leaves-nothing
        no-secret-described no-secret-in-failures no-secret-written
        size-0 size-1 size-65535 size-65536 size-65537 size-1048577 part-less-a-byte part-exactly part-and-a-byte
        type-png type-mp4
        name-spaces name-url-signs name-quotes name-windows-signs name-newline name-control name-unicode name-decomposed
        name-dash name-no-extension name-hidden name-trailing-dot name-outer-spaces name-two-dots name-percent
        name-longest name-longest-unicode names-apart
        as-many-at-once caption progress again readback
        conflict-rename conflict-skip conflict-overwrite conflict-fail failure-leaves-others same-bytes two-writers
        presence presence-other-bytes presence-unreachable
        removal removal-outside removal-album
        source-ends-early source-changes digest-differs cancel-midway discard-nothing lost-last-reply
        fault-unreachable fault-credentials fault-full fault-throttled fault-misconfigured fault-midway lost-any-reply
        resume-midway discard-by-checkpoint resume-anew
        album album-many-openers conflict-repair
        """

    @Test func `have these ids, each its own`() {
        let ids = ContractSuite.cases.map(\.id)
        #expect(ids == Self.ids.split(whereSeparator: \.isWhitespace).map(String.init))
        #expect(Set(ids).count == ids.count)
        for id in ids { #expect(id.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(id)") }
    }

    /// A submitter that can do nothing but store, at a place where nothing can be made to fail.
    private struct Poor: ContractHarness {
        func makePlace() -> any ContractPlace { Place() }

        struct Place: ContractPlace {
            let inner = InMemoryPlace()

            func makeSubmitter() -> any Submitter {
                var poor = Deviation(InMemorySubmitter(inner))
                poor.capabilities.supportsAlbums = false
                poor.capabilities.canReadBack = false
                poor.capabilities.mimeTypes = ["image/jpeg"]
                poor.capabilities.maximumSize = [.photo: 100_000]
                poor.facets = Facets()
                return poor
            }

            func contents() -> [String: [UInt8]] { inner.contents }
            func leftovers() throws -> [String] { throw NotTried(lacking: .leftovers, "nobody can tell") }
            func put(_ bytes: [UInt8], named name: String) throws {
                throw NotTried(lacking: .otherWriter, "nobody else")
            }
            var checksDigests: Bool { false }
            var secrets: [String] { [] }
            func remove() {}
        }
    }

    @Test(arguments: ContractSuite.cases)
    func `say what they need`(_ promise: ContractCase) async throws {
        guard let reason = try await promise.attempt(Poor()) else { return }
        let requirement = try #require(reason.requirement, "\(reason.clause)")
        #expect(promise.needs.contains(requirement))
        try await promise.run(Poor(), leavingOut: [requirement])
        try await promise.run(Poor(), leavingOut: [], ids: [promise.id])
        let complaint = await #expect(throws: ContractViolation.self) {
            try await promise.run(Poor(), leavingOut: promise.needs.subtracting([requirement]))
        }
        #expect(complaint?.description.contains("`\(requirement)` in `leavingOut`") ?? false)
    }
}
