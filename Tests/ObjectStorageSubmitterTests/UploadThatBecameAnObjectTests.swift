import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// The answer to the completion was lost: the object is there, and the upload may be open.
@Suite struct `An upload that became an object unheard` {
    static let quirks: [Set<FakeUploads.Quirk>] = [[.listsCompleted], [.closesLate], [.closesLate, .refusesMatch]]

    /// One whose first completion was not heard of.
    ///
    /// - Parameter second: what becomes of the second completion before the server hears of it.
    private func unheard(
        _ quirks: Set<FakeUploads.Quirk>, abortsTakeObjects: Bool? = true,
        second: @escaping @Sendable () -> HTTPResponse? = { nil },
        after: @escaping FakeStorage.After = { _, _, _ in nil }
    ) async throws -> Endeavour {
        let once = Once(.complete)
        let isHeard = Locked(false)
        let endeavour = try Endeavour(
            FakeStorage(
                quirks: quirks,
                script: { sent in
                    guard Step(sent) == .complete, isHeard.withLock({ $0 }) else { return nil }
                    return second().map { .success($0) }
                },
                after: { sent, answer, state in
                    guard once.strikes(sent) else { return after(sent, answer, &state) }
                    isHeard.withLock { $0 = true }
                    return .failure(.lost)
                }), profile: .smallParts(abortsTakeObjects: abortsTakeObjects))
        try await endeavour.fails(.tryAnother(after: nil), "broken")
        return endeavour
    }

    private func leftovers(_ endeavour: Endeavour) async throws -> (any LeftoverFacet, [Leftover]) {
        let facet = try #require(endeavour.submitter.facets.leftovers)
        return (facet, try await facet.list(sparing: []))
    }

    @Test(arguments: quirks)
    func `is done at the next attempt`(_ quirks: Set<FakeUploads.Quirk>) async throws {
        let endeavour = try await unheard(quirks)
        #expect(try await endeavour.arrives(wasThere: true) == 0)
        #expect(!endeavour.storage.steps.contains(.abort))
    }

    @Test(arguments: quirks)
    func `stays whole when it is cancelled`(_ quirks: Set<FakeUploads.Quirk>) async throws {
        let endeavour = try await unheard(quirks)
        try await endeavour.discard()
        #expect(endeavour.storage.objects["a.jpg"]?.bytes == endeavour.bytes.content)
        #expect(endeavour.storage.openUploads == [])
    }

    @Test(arguments: [[FakeUploads.Quirk.closesLate], [.closesLate, .refusesMatch]] as [Set])
    func `stays whole when what is left is cleaned up`(_ quirks: Set<FakeUploads.Quirk>) async throws {
        let endeavour = try await unheard(quirks)
        let (facet, found) = try await leftovers(endeavour)
        #expect(found.map(\.name) == ["a.jpg"])
        for leftover in found { try await facet.remove(leftover) }
        #expect(endeavour.storage.objects["a.jpg"]?.bytes == endeavour.bytes.content)
        #expect(endeavour.storage.openUploads == [])
    }

    /// The first look does not find it yet.
    @Test func `stays whole when it comes to light at the end of the next attempt`() async throws {
        let isDone = Locked(false)
        let endeavour = try await unheard(
            [.closesLate],
            after: { sent, _, state in
                guard Step(sent) == .look, state.objects["a.jpg"] != nil else { return nil }
                return isDone.withLock { isDone in
                    defer { isDone = true }
                    return isDone ? nil : .success(HTTPResponse(status: 404))
                }
            })
        #expect(try await endeavour.arrives(wasThere: true) == 0)
        #expect(!endeavour.storage.steps.contains(.abort))
    }

    @Test(arguments: [
        (400, "InvalidRequest"), (403, "AccessDenied"), (403, "RequestTimeTooSkewed"), (409, "Other"), (503, "Other"),
    ])
    func `is not aborted because it is not completed again`(status: Int, code: String) async throws {
        let endeavour = try await unheard([.closesLate], second: { .error(status, code) })
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        await #expect(throws: SubmitFailure.self) { try await endeavour.discard() }
        #expect(endeavour.storage.objects["a.jpg"]?.bytes == endeavour.bytes.content)
        #expect(!endeavour.storage.steps.contains(.abort))
    }

    @Test func `is not completed over what others store meanwhile`() async throws {
        let endeavour = try await unheard(
            [.closesLate],
            after: { sent, _, state in
                if Step(sent) == .look, state.objects["a.jpg"] != nil {
                    state.objects["a.jpg"] = FakeStorage.Object(bytes: [1, 2, 3], headers: [])
                }
                return nil
            })
        let failure = await #expect(throws: SubmitFailure.self) { try await endeavour.discard() }
        #expect(failure?.code == "conflict" && failure?.remedy == .retry(after: nil))
        failure?.expectSentence(naming: "“a.jpg”")
        #expect(endeavour.storage.objects["a.jpg"]?.bytes == [1, 2, 3])
    }

    @Test func `is left alone where nobody knows what an abort does`() async throws {
        let endeavour = try await unheard([.closesLate], abortsTakeObjects: nil)
        let (facet, found) = try await leftovers(endeavour)
        let failure = await #expect(throws: SubmitFailure.self) { try await facet.remove(found[0]) }
        #expect(failure?.code == "upload-in-use" && failure?.remedy == .giveUp)
        failure?.expectSentence(naming: "“a.jpg”")
        #expect(try await endeavour.attempt().wasThere)
        try await endeavour.discard()
        #expect(endeavour.storage.objects["a.jpg"]?.bytes == endeavour.bytes.content)
        #expect(endeavour.storage.openUploads == ["a.jpg"])
        #expect(endeavour.storage.steps.count { $0 == .complete } == 1 && !endeavour.storage.steps.contains(.abort))
    }

    @Test func `is aborted and never completed where that does nothing to the object`() async throws {
        let endeavour = try await unheard([.keepsCompleted], abortsTakeObjects: false)
        try await endeavour.discard()
        #expect(endeavour.storage.objects["a.jpg"]?.bytes == endeavour.bytes.content)
        #expect(endeavour.storage.openUploads == [])
        #expect(endeavour.storage.steps.count { $0 == .complete } == 1)
    }
}
