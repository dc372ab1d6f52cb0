import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `An upload in parts that meets` {
    private let again = Remedy.retry(after: nil)
    private let part = Endeavour.partSize

    @Test(arguments: UploadFault.all)
    func `a fault goes on from where it stood`(fault: UploadFault) async throws {
        let endeavour = try Endeavour(fault.storage())
        try await endeavour.fails(fault.remedy, fault.code)
        let looks = endeavour.storage.steps.count { $0 == .look }
        #expect(try await endeavour.arrives(wasThere: fault.wasThere) == fault.sent)
        #expect(looks == 1 || fault.step == .complete)
    }

    /// Where the last attempt fails too, cancelling leaves nothing either.
    @Test(arguments: UploadFault.all.filter { !$0.wasThere })
    func `a fault leaves nothing when it is cancelled then`(fault: UploadFault) async throws {
        let endeavour = try Endeavour(fault.storage())
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        try await endeavour.discard()
        #expect(endeavour.storage.openUploads == [] && endeavour.storage.objects.isEmpty)
    }

    @Test(arguments: [2, 4])
    func `a kill sends at most one part again for each that was under way`(width: Int) async throws {
        let once = Once(.part(4))
        let task = Locked<Task<Void, Never>?>(nil)
        let storage = FakeStorage(after: { sent, _, _ in
            guard once.strikes(sent) else { return nil }
            // Whoever is killed leaves replies unread and bodies half sent.
            task.withLock { $0 }?.cancel()
            return .failure(.cancelled)
        })
        let endeavour = try Endeavour(storage, width: width)
        let started = Task { _ = try? await endeavour.attempt() }
        task.withLock { $0 = started }
        await started.value
        let landed = storage.taken
        try await endeavour.arrives()
        #expect(storage.taken - Int64(endeavour.bytes.content.count) <= Int64(width * part) && landed > 0)
    }

    @Test func `the end of its upload by others begins anew`() async throws {
        let once = Once(.part(3))
        let endeavour = try Endeavour(
            FakeStorage(after: { sent, _, state in
                if once.strikes(sent) { state.uploads.open = [:] }
                return nil
            }))
        try await endeavour.fails(again, "upload-lost")
        #expect(try await endeavour.arrives() == endeavour.bytes.content.count)
    }

    @Test func `parts that others changed sends them again, and them alone`() async throws {
        let endeavour = try Endeavour(FakeStorage(script: Self.resetting(.complete)))
        try await endeavour.fails(.tryAnother(after: nil), "broken")
        endeavour.storage.change { state in
            let id = state.uploads.open.keys.first!
            state.uploads.open[id]?.parts[2] = Array(repeating: 7, count: part)
        }
        #expect(try await endeavour.arrives() == part)
    }

    @Test func `a part of the right ETag and another size sends it again`() async throws {
        let shrunk = Once(.listParts)
        let endeavour = try Endeavour(
            FakeStorage(
                script: Self.resetting(.complete),
                after: { sent, answer, _ in
                    guard shrunk.strikes(sent) else { return nil }
                    let text = String(decoding: answer.body, as: UTF8.self)
                    let shorter = text.replacing("<Size>\(part)<", with: "<Size>\(part - 1)<", maxReplacements: 1)
                    return .success(HTTPResponse(status: 200, headers: answer.headers, body: Array(shorter.utf8)))
                }))
        try await endeavour.fails(.tryAnother(after: nil), "broken")
        #expect(try await endeavour.arrives() == part)
    }

    @Test func `parts changed between its list and its end sends them again`() async throws {
        let once = Once(.part(5))
        let endeavour = try Endeavour(
            FakeStorage(after: { sent, _, state in
                guard once.strikes(sent), let id = state.uploads.open.keys.first else { return nil }
                state.uploads.open[id]?.parts[1] = [1, 2, 3]
                return nil
            }))
        try await endeavour.fails(again, "upload-lost")
        #expect(try await endeavour.arrives() == part)
    }

    @Test func `a server that lists parts and never takes them sends all anew, and no more than once`() async throws {
        let refusals = Locked(0)
        let endeavour = try Endeavour(
            FakeStorage { sent in
                guard Step(sent) == .complete,
                    refusals.withLock({
                        $0 += 1
                        return $0 <= 2
                    })
                else { return nil }
                return .success(.error(400, "InvalidPart"))
            })
        try await endeavour.fails(again, "upload-lost")
        #expect(endeavour.storage.openUploads == ["a.jpg"])
        try await endeavour.fails(again, "upload-lost")
        #expect(endeavour.storage.taken == endeavour.bytes.content.count && endeavour.storage.openUploads == [])
        #expect(try await endeavour.arrives() == endeavour.bytes.content.count)
    }

    @Test func `parts that are too small says so and leaves nothing`() async throws {
        let endeavour = try Endeavour(
            FakeStorage { Step($0) == .complete ? .success(.error(400, "EntityTooSmall")) : nil })
        try await endeavour.fails(.giveUp, "parts-too-small")
        try await endeavour.discard()
        #expect(endeavour.storage.openUploads == [])
    }

    @Test func `a server whose failed end is the end of the upload begins anew`() async throws {
        let once = Once(.part(5))
        let endeavour = try Endeavour(
            FakeStorage(
                quirks: [.failedCompleteEnds],
                after: { sent, _, state in
                    guard once.strikes(sent), let id = state.uploads.open.keys.first else { return nil }
                    state.uploads.open[id]?.parts[1] = [1, 2, 3]
                    return nil
                }))
        try await endeavour.fails(again, "upload-lost")
        #expect(endeavour.storage.openUploads == [])
        #expect(try await endeavour.arrives() == endeavour.bytes.content.count)
    }

    @Test func `a server that keeps an upload after its end leaves none there`() async throws {
        let once = Once(.complete)
        let endeavour = try Endeavour(
            FakeStorage(
                quirks: [.keepsCompleted], after: { sent, _, _ in once.strikes(sent) ? .failure(.lost) : nil }),
            profile: .smallParts(abortsTakeObjects: false))
        try await endeavour.fails(.tryAnother(after: nil), "broken")
        #expect(endeavour.storage.openUploads == ["a.jpg"])
        #expect(try await endeavour.arrives(wasThere: true) == 0)
    }

    @Test(arguments: [FakeUploads.Quirk.storesNothing, .storesLess])
    func `a server that says yes to what it has not done is not believed`(quirk: FakeUploads.Quirk) async throws {
        let endeavour = try Endeavour(FakeStorage(quirks: [quirk]))
        try await endeavour.fails(again, "not-stored")
        #expect(endeavour.storage.objects.isEmpty)
        endeavour.storage.change { $0.uploads.quirks = [] }
        #expect(try await endeavour.arrives() == endeavour.bytes.content.count)
    }

    @Test func `ETags that are no MD5s is proven by our digest, or by reading`() async throws {
        let endeavour = try Endeavour(FakeStorage(quirks: [.opaqueETags]))
        try await endeavour.arrives(.echoed)
        let reading = try Endeavour(FakeStorage(quirks: [.opaqueETags]), ["verify": "readback"])
        try await reading.arrives(.verified)
    }

    @Test func `ETags that are no MD5s keeps no part that an earlier attempt sent, since none is proven`() async throws
    {
        let endeavour = try Endeavour(FakeStorage(quirks: [.opaqueETags], script: Self.resetting(.complete)))
        try await endeavour.fails(.tryAnother(after: nil), "broken")
        #expect(try await endeavour.arrives(.echoed) == endeavour.bytes.content.count)
    }

    @Test func `ETags that look like MD5s and are none is read back, for no other reason`() async throws {
        let endeavour = try Endeavour(FakeStorage(quirks: [.misleadingETags]))
        try await endeavour.arrives(.verified)
        #expect(endeavour.storage.sent.contains { $0["range"] != nil })
        let other = try Endeavour(FakeStorage())
        try await other.arrives(.verified)
        #expect(!other.storage.sent.contains { $0["range"] != nil })
    }

    @Test func `a server that took a damaged part and does not care is not believed`() async throws {
        let once = Once(.part(3))
        let endeavour = try Endeavour(
            FakeStorage(after: { sent, answer, state in
                guard once.strikes(sent), let id = state.uploads.open.keys.first else { return nil }
                let other = Array(repeating: UInt8(7), count: part)
                state.uploads.open[id]?.parts[3] = other
                return .success(HTTPResponse(status: 200, headers: [("ETag", "\"\(other.md5)\"")]))
            }))
        try await endeavour.fails(again, "not-stored")
        #expect(endeavour.storage.objects.isEmpty && endeavour.storage.openUploads == [])
        #expect(try await endeavour.arrives() == endeavour.bytes.content.count)
    }

    @Test func `a wrong ETag where they are MD5s sends the part again`() async throws {
        let once = Once(.part(3))
        var profile = S3Profile.smallParts
        profile.etagsAreMD5 = true
        let endeavour = try Endeavour(
            FakeStorage(after: { sent, answer, state in
                guard once.strikes(sent), let id = state.uploads.open.keys.first else { return nil }
                let other = Array(repeating: UInt8(7), count: part)
                state.uploads.open[id]?.parts[3] = other
                return .success(HTTPResponse(status: 200, headers: [("ETag", "\"\(other.md5)\"")]))
            }), profile: profile)
        try await endeavour.fails(again, "damaged")
        #expect(try await endeavour.arrives() == 2 * part + 5000)
    }

    @Test func `other bytes at its end that it reads back are removed`() async throws {
        let once = Once(.complete)
        let endeavour = try Endeavour(
            FakeStorage(after: { sent, _, state in
                if once.strikes(sent) { state.objects["a.jpg"]?.bytes[70_000] ^= 1 }
                return nil
            }), ["verify": "readback"])
        try await endeavour.fails(again, "not-stored")
        #expect(endeavour.storage.objects.isEmpty)
        try await endeavour.arrives()
    }

    /// No step of its asks for what a plain server may not have, unless a break makes it ask.
    @Test(arguments: [[FakeUploads.Quirk.listsNoParts], [.listsNoUploads], [.listsNoParts, .listsNoUploads]])
    func `a server that does not tell of parts or uploads arrives all the same`(
        quirks: [FakeUploads.Quirk]
    ) async throws {
        for (step, moment) in [(Step.part(3), UploadFault.Moment.before), (.begin, .before), (.complete, .after)] {
            let fault = UploadFault(
                name: "", step: step, moment: moment, answer: .failure(.lost), code: "broken", sent: 0)
            let storage = fault.storage()
            storage.change { $0.uploads.quirks = Set(quirks) }
            let endeavour = try Endeavour(storage)
            try await endeavour.fails(.tryAnother(after: nil), "broken")
            try await endeavour.arrives(wasThere: step == .complete)
        }
    }

    @Test func `a server that does not tell of uploads cannot be cleaned, and says so`() async throws {
        let endeavour = try Endeavour(FakeStorage(quirks: [.listsNoUploads]))
        let leftovers = try #require(endeavour.submitter.facets.leftovers)
        let failure = await #expect(throws: SubmitFailure.self) { try await leftovers.list(sparing: []) }
        #expect(failure?.remedy == .giveUp && failure?.code == "no-leftovers")
        failure?.expectSentence(naming: "“photos”")
    }

    /// Such a step fails once.
    static func resetting(_ step: Step) -> FakeStorage.Script {
        let once = Once(step)
        return { sent in once.strikes(sent) ? .failure(.reset) : nil }
    }
}
