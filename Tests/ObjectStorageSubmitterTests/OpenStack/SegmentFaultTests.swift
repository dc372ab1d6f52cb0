import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import SubmitTransfer
import Testing

@testable import ObjectStorageSubmitter

private let again = Remedy.retry(after: nil)
private let unclear = Remedy.tryAnother(after: nil)
private let denied = Remedy.hold(.misconfigured, after: nil)
private let reset = HTTPFailure.broken("Connection reset by peer", afterBody: false)
private let lost = HTTPFailure.broken("Connection reset by peer", afterBody: true)
private let part = SegmentEndeavour.partSize
private let all5 = 4 * part + 5000

/// What goes wrong once in an upload in five segments, one after the other.
struct SegmentFault: Sendable, CustomTestStringConvertible {
    var name: String
    var step: SegmentStep
    /// When the cluster has done what was asked, and not before.
    var isAfter = false
    var answer: Result<HTTPResponse, HTTPFailure>
    var remedy = again
    var code: String
    /// Bytes of segments that the next attempt sends.
    var sent: Int
    /// The next attempt finds the item complete.
    var wasThere = false

    var testDescription: String { name }

    func swift() -> FakeSwift {
        let once = OnceInSegments(step)
        return FakeSwift(
            script: { sent in !isAfter && once.strikes(sent) ? answer : nil },
            after: { sent, _, _ in isAfter && once.strikes(sent) ? answer : nil })
    }

    private static func status(
        _ status: Int, _ text: String = "", wait: String? = nil
    ) -> Result<HTTPResponse, HTTPFailure> {
        .success(
            HTTPResponse(status: status, headers: wait.map { [("Retry-After", $0)] } ?? [], body: Array(text.utf8)))
    }

    private static func segment(
        _ name: String, _ answer: Result<HTTPResponse, HTTPFailure>, _ remedy: Remedy, _ code: String
    ) -> SegmentFault {
        SegmentFault(
            name: name + " on a segment", step: .segment(3), answer: answer, remedy: remedy, code: code,
            sent: 2 * part + 5000)
    }

    private static func manifest(
        _ name: String, _ answer: Result<HTTPResponse, HTTPFailure>, _ code: String, _ remedy: Remedy = unclear,
        isStored: Bool = false
    ) -> SegmentFault {
        SegmentFault(
            name: name + " on the manifest" + (isStored ? " though it is stored" : ""), step: .manifest,
            isAfter: isStored, answer: answer, remedy: remedy, code: code, sent: 0, wasThere: isStored)
    }

    private static let quota = "<html><h1>Request Entity Too Large</h1><p>Upload exceeds quota.</p></html>"
    private static let full = Remedy.hold(.full, after: nil)
    private static let throttled = Remedy.hold(.throttled, after: .seconds(7))
    private static let away = Remedy.tryAnother(after: .seconds(7))

    static let segments = [
        segment("a 500", status(500), unclear, "server-error"),
        segment("a 408", status(408), unclear, "damaged"),
        segment("a 422", status(422, "<html>Unprocessable Entity</html>"), again, "damaged"),
        segment("a 413 of a quota", status(413, quota), full, "full"),
        segment("a 413", status(413, "<html>too large</html>"), .giveUp, "too-large"),
        segment("a 503 with Retry-After", status(503, wait: "7"), away, "unavailable"),
        segment("a 429 with Retry-After", status(429, wait: "7"), throttled, "throttled"),
        segment("a 498 with Retry-After", status(498, wait: "7"), throttled, "throttled"),
        segment("a 507", status(507), full, "full"),
        segment("a 404", status(404), again, "upload-lost"),
        segment("a reset", .failure(reset), unclear, "broken"),
        segment("a stall", .failure(.stalled(afterBody: false)), unclear, "stalled"),
    ]

    static let manifests = [
        manifest("a 503 with Retry-After", status(503, wait: "7"), "unavailable", away),
        manifest("a 413 of a quota", status(413, quota), "full", full),
        manifest("a reset", .failure(reset), "broken"),
        manifest(
            "a heartbeat that ends with 503", .success(FakeSwift.heartbeat("503 Service Unavailable")),
            "unavailable"),
        manifest(
            "a heartbeat that ends with 413", .success(FakeSwift.heartbeat("413 Too Large", text: quota)), "full", full),
        manifest("a heartbeat without an end", status(202, "      "), "server-error"),
        manifest("a heartbeat with half an end", status(202, "   \r\n\r\n{\"Response Sta"), "server-error"),
        manifest("a heartbeat that breaks", .failure(lost), "broken", isStored: true),
        manifest("a heartbeat that stalls", .failure(.stalled(afterBody: true)), "stalled", isStored: true),
        manifest("a heartbeat with half an end", status(202, "   {"), "server-error", isStored: true),
        manifest("a 500", status(500), "server-error", isStored: true),
    ]

    static let others = [
        SegmentFault(
            name: "the reply lost after a segment", step: .segment(3), isAfter: true, answer: .failure(lost),
            remedy: unclear, code: "broken", sent: part + 5000),
        SegmentFault(
            name: "a reset at the first look", step: .look, answer: .failure(reset), remedy: unclear,
            code: "broken", sent: all5),
        SegmentFault(
            name: "a reset when the segments' container is made", step: .ensure, answer: .failure(reset),
            remedy: unclear, code: "broken", sent: all5),
        SegmentFault(
            name: "the reply lost when the segments' container is made", step: .ensure, isAfter: true,
            answer: .failure(lost), remedy: unclear, code: "broken", sent: all5),
        SegmentFault(
            name: "a reset when the cluster is asked what it can", step: .info, answer: .failure(reset),
            remedy: unclear, code: "broken", sent: all5),
    ]

    static let all = segments + manifests + others
}

@Suite struct `An upload in segments that meets` {
    @Test(arguments: SegmentFault.all)
    func `a fault goes on from where it stood`(fault: SegmentFault) async throws {
        let endeavour = try SegmentEndeavour(fault.swift())
        try await endeavour.fails(fault.remedy, fault.code)
        #expect(try await endeavour.arrives(wasThere: fault.wasThere) == fault.sent)
    }

    /// Where the last attempt fails too, cancelling leaves nothing either.
    @Test(arguments: SegmentFault.all)
    func `a fault leaves nothing when it is cancelled then, or all of it`(fault: SegmentFault) async throws {
        let endeavour = try SegmentEndeavour(fault.swift())
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        try await endeavour.discard()
        #expect(endeavour.swift.leftovers == [])
        #expect(endeavour.swift.objects == (fault.wasThere ? ["a.jpg": endeavour.bytes.content] : [:]))
    }

    @Test(arguments: [2, 4])
    func `a kill sends at most one segment again for each that was under way`(width: Int) async throws {
        let once = OnceInSegments(.segment(4))
        let task = Locked<Task<Void, Never>?>(nil)
        let swift = FakeSwift(after: { sent, _, _ in
            guard once.strikes(sent) else { return nil }
            task.withLock { $0 }?.cancel()
            return .failure(.cancelled)
        })
        let endeavour = try SegmentEndeavour(swift, width: width)
        let started = Task { _ = try? await endeavour.attempt() }
        task.withLock { $0 = started }
        await started.value
        let landed = swift.taken
        try await endeavour.arrives()
        #expect(swift.taken - all5 <= width * part && landed > 0)
    }

    /// Both when the listing knows of it, and when it goes on naming what is gone.
    @Test(arguments: [false, true])
    func `a segment that others removed or changed sends it again, and it alone`(isChanged: Bool) async throws {
        let once = OnceInSegments(.segment(5))
        let endeavour = try SegmentEndeavour(
            FakeSwift(after: { sent, _, state in
                guard once.strikes(sent), let name = state.containers["photos_segments"]?.keys.min() else { return nil }
                let other = FakeSwift.Object(bytes: Array(repeating: 7, count: part))
                state.containers["photos_segments"]?[name] = isChanged ? other : nil
                return nil
            }))
        try await endeavour.fails(again, "upload-lost")
        #expect(try await endeavour.arrives() == part)
    }

    @Test func `a listing that names a segment that is gone sends it again all the same`() async throws {
        let refusal = Locked<HTTPResponse?>(nil)
        let once = OnceInSegments(.manifest)
        let endeavour = try SegmentEndeavour(
            FakeSwift(script: { sent in
                guard once.strikes(sent) else { return nil }
                return refusal.withLock { $0 }.map { .success($0) }
            }))
        let note = SegmentedUploadCheckpoint(
            container: "photos", key: "a.jpg", PartPlan(size: endeavour.bytes.size, partSize: Int64(part)),
            submission: "test-1")
        refusal.withLock {
            $0 = FakeSwift.heartbeat(
                "400 Bad Request", errors: [["/photos_segments/\(note.name(2))", "404 Not Found"]])
        }
        try await endeavour.fails(again, "upload-lost")
        #expect(try await endeavour.arrives() == part)
    }

    @Test(arguments: [("503 Service Unavailable", unclear, "unavailable"), ("403 Forbidden", denied, "access-denied")])
    func `a segment that cannot be looked at keeps all of them`(status: String, remedy: Remedy, code: String)
        async throws
    {
        let once = OnceInSegments(.manifest)
        let endeavour = try SegmentEndeavour(
            FakeSwift {
                guard once.strikes($0) else { return nil }
                return .success(
                    FakeSwift.heartbeat("400 Bad Request", errors: [["/photos_segments/00000003", status]]))
            })
        try await endeavour.fails(remedy, code)
        #expect(try await endeavour.arrives() == 0)
    }

    @Test func `segments that are too small says so and leaves nothing`() async throws {
        let endeavour = try SegmentEndeavour(
            FakeSwift {
                SegmentStep($0) != .manifest
                    ? nil
                    : .success(
                        FakeSwift.heartbeat(
                            "400 Bad Request",
                            errors: [["/photos_segments/a", "Too small; each segment must be at least 1048576 bytes."]])
                    )
            })
        try await endeavour.fails(.giveUp, "parts-too-small")
        try await endeavour.discard()
        #expect(endeavour.swift.leftovers == [])
    }

    @Test(arguments: [[], [FakeSwift.Quirk.ignoresConditions]])
    func `someone else's object at the last moment takes another name`(quirks: [FakeSwift.Quirk]) async throws {
        let once = OnceInSegments(.segment(5))
        let endeavour = try SegmentEndeavour(
            FakeSwift(
                Set(quirks),
                after: { sent, _, state in
                    if once.strikes(sent) { state.containers["photos"]?["a.jpg"] = .init(bytes: [1, 2, 3]) }
                    return nil
                }))
        let receipt = try await endeavour.attempt()
        #expect(receipt.remoteID == "a-1.jpg" && receipt.evidence == .verified)
        #expect(endeavour.swift.objects == ["a.jpg": [1, 2, 3], "a-1.jpg": endeavour.bytes.content])
        #expect(endeavour.swift.leftovers == [])
    }

    @Test func `someone else's object between the look and the manifest takes another name`() async throws {
        let once = OnceInSegments(.manifest)
        let endeavour = try SegmentEndeavour(
            FakeSwift(after: { sent, _, state in
                guard once.strikes(sent) else { return nil }
                state.containers["photos"]?["a.jpg"] = .init(bytes: [1, 2, 3])
                return .success(HTTPResponse(status: 412))
            }))
        #expect(try await endeavour.attempt().remoteID == "a-1.jpg")
        #expect(endeavour.swift.leftovers == [] && endeavour.swift.objects["a.jpg"] == [1, 2, 3])
    }

    @Test(arguments: [3, all5])
    func `someone else's object over its own keeps nothing of its own`(size: Int) async throws {
        let once = OnceInSegments(.manifest)
        let endeavour = try SegmentEndeavour(
            FakeSwift(after: { sent, _, state in
                let other = FakeSwift.Object(bytes: Array(repeating: 7, count: size))
                if once.strikes(sent) { state.containers["photos"]?["a.jpg"] = other }
                return nil
            }))
        if size != all5 { try await endeavour.fails(again, "not-stored") }
        #expect(try await endeavour.attempt().remoteID == "a-1.jpg")
        #expect(endeavour.swift.leftovers == [])
    }

    /// Replicas that were away may show an object late.
    @Test func `a refusal for what nobody shows removes no segment`() async throws {
        let once = OnceInSegments(.manifest)
        let isHidden = Locked(false)
        let endeavour = try SegmentEndeavour(
            FakeSwift(
                script: { sent in
                    SegmentStep(sent) == .look && isHidden.withLock { $0 } ? .success(HTTPResponse(status: 404)) : nil
                },
                after: { sent, _, _ in
                    guard once.strikes(sent) else { return nil }
                    isHidden.withLock { $0 = true }
                    return .failure(lost)
                }))
        try await endeavour.fails(.tryAnother(after: nil), "broken")
        try await endeavour.fails(again, "conflict")
        isHidden.withLock { $0 = false }
        #expect(try await endeavour.arrives(wasThere: true) == 0)
    }

    /// Who cannot see what an object is made of must not remove segments.
    @Test(arguments: [500, 503, 403], [SegmentStep.look, .readManifest])
    func `trouble when it is to be forgotten removes nothing of a copy`(status: Int, step: SegmentStep) async throws {
        let isForgetting = Locked(false)
        let endeavour = try SegmentEndeavour(
            FakeSwift(script: { sent in
                SegmentStep(sent) == step && isForgetting.withLock { $0 } ? .success(HTTPResponse(status: status)) : nil
            }))
        _ = try await endeavour.attempt()
        isForgetting.withLock { $0 = true }
        await #expect(throws: SubmitFailure.self) { try await endeavour.discard() }
        #expect(endeavour.swift.objects == ["a.jpg": endeavour.bytes.content])
    }

    @Test func `half a manifest when it is to be forgotten removes nothing of a copy`() async throws {
        let endeavour = try SegmentEndeavour(
            FakeSwift(after: { sent, answer, _ in
                SegmentStep(sent) != .readManifest
                    ? nil
                    : .success(
                        HTTPResponse(status: 200, headers: answer.headers, body: Array(answer.body.dropLast(20))))
            }))
        _ = try await endeavour.attempt()
        let failure = await #expect(throws: SubmitFailure.self) { try await endeavour.discard() }
        #expect(failure?.code == "bad-answer" && failure?.remedy == again)
        #expect(endeavour.swift.objects == ["a.jpg": endeavour.bytes.content])
    }

    @Test func `a cluster that stores other bytes than came sends them again`() async throws {
        let endeavour = try SegmentEndeavour(FakeSwift([.damagesOnce]))
        for _ in 0..<5 { try await endeavour.fails(again, "damaged") }
        #expect(endeavour.swift.taken == 8 * part + 5000)
        #expect(try await endeavour.arrives() == 5000)
    }

    @Test func `a cluster whose answers have no ETag is proven by our digest`() async throws {
        let endeavour = try SegmentEndeavour(FakeSwift([.namesNoETags]))
        #expect(try await endeavour.arrives(.echoed) == all5)
        let reading = try SegmentEndeavour(FakeSwift([.namesNoETags]), ["verify": "readback"])
        #expect(try await reading.arrives() == all5)
    }

    @Test func `a cluster without large objects gets it whole, and says where that is too much`() async throws {
        let swift = FakeSwift()
        let endeavour = try SegmentEndeavour(swift)
        swift.change { $0.info.body = Array(#"{"swift": {"max_file_size": 100000}}"#.utf8) }
        try await endeavour.fails(.giveUp, "too-large")
        swift.change { $0.info.body = Array(#"{"swift": {"max_file_size": 200000}}"#.utf8) }
        let allowed = try SegmentEndeavour(swift)
        #expect(try await allowed.arrives() == all5)
        #expect(swift.steps.allSatisfy { $0 != .manifest } && swift.segments == [])
    }

    @Test func `an upload in segments that is to go whole by now leaves none`() async throws {
        let once = OnceInSegments(.segment(3))
        let swift = FakeSwift { once.strikes($0) ? .failure(reset) : nil }
        let endeavour = try SegmentEndeavour(swift)
        try await endeavour.fails(.tryAnother(after: nil), "broken")
        let whole = try SegmentEndeavour(swift, ["parts_above": "1GiB"], checkpoint: endeavour.checkpoint)
        #expect(try await whole.arrives() == all5)
        #expect(swift.segments == [])
    }

    @Test(arguments: [
        HTTPResponse(status: 404), HTTPResponse(status: 403), HTTPResponse(status: 500),
        HTTPResponse(status: 200, body: Array("<html>Welcome</html>".utf8)),
    ])
    func `a cluster that says nothing of itself is taken as usual`(info: HTTPResponse) async throws {
        let swift = FakeSwift()
        swift.change { $0.info = info }
        #expect(try await SegmentEndeavour(swift).arrives() == all5)
        #expect(swift.steps.contains(.manifest))
    }

    @Test func `the end of its token renews it once for all segments under way`() async throws {
        let once = OnceInSegments(.segment(4))
        let endeavour = try SegmentEndeavour(
            FakeSwift(after: { sent, _, state in
                if once.strikes(sent) { state.good = [] }
                return nil
            }), width: 4)
        try await endeavour.arrives()
        #expect(endeavour.swift.steps.count { $0 == .signIn } == 2)
    }

    @Test func `a container that is not there says so before anything is sent`() async throws {
        let swift = FakeSwift()
        swift.change { $0.containers = [:] }
        try await SegmentEndeavour(swift).fails(.hold(.misconfigured, after: nil), "no-container")
        swift.change { #expect($0.taken == 0 && $0.containers.isEmpty) }
    }
}
