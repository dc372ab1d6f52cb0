import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import WebDAVSubmitter

/// A folder of its own on a fake ownCloud Infinite Scale of its own. (The real one cannot be had here.)
private struct InfiniteScalePlace: HTTPContractPlace {
    let server: CloudServer
    let place: DAVPlace
    private let kind: String
    /// The next place may have its cloud, which is as it was.
    private let isPassedOn: Locked<Bool>

    init(_ options: [String] = [], isPassedOn: Bool = false) async throws {
        self.isPassedOn = Locked(isPassedOn)
        kind = "\(CloudFront.infiniteScale.rawValue) by tus \(options)"
        server =
            isPassedOn
            ? try await IdleClouds.take(kind) { try await CloudServer(.ocis, options: options) }
            : try await CloudServer(.ocis, options: options)
        place = DAVPlace(
            access: DAVFront.Access(
                url: server.filesURL, data: server.data, values: ["user": server.user],
                secrets: ["password": server.password],
                transport: try CurlTransport(CurlConfiguration(userAgent: "submit-tests")), server: server),
            notes: NotesOfNeighbours(kind: kind), inParts: true, permits: AsyncSemaphore(100))
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try place.makeSubmitter() }
    func contents() async throws -> [String: [UInt8]] { try await place.contents() }
    func leftovers() async throws -> [String] {
        try await place.leftovers() + FileManager.default.contentsOfDirectory(atPath: server.uploads).sorted()
    }
    func put(_ bytes: [UInt8], named name: String) async throws {
        try await server.put(bytes, as: "\(place.name)/\(name)")
    }
    var checksDigests: Bool { false }
    var wire: FaultyTransport { place.wire }
    var partSize: Int64? { place.partSize }
    var secrets: [String] { place.secrets }
    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        guard fault == .full else { return try await place.submitter(meeting: fault) }
        _ = try await place.makeSubmitter().check()
        try await server.change(.quota(1))
        isPassedOn.withLock { $0 = false }
        return try place.makeSubmitter()
    }
    func remove() async {
        await place.remove()
        if isPassedOn.withLock({ $0 }) { await IdleClouds.giveBack(server, kind) } else { await server.remove() }
    }

    /// What came by tus, and not by PUT.
    func tusRequests() async throws -> [CloudRequest] {
        try await server.requests().filter { $0["Tus-Resumable"] != nil }
    }
}

private struct InfiniteScaleHarness: ContractHarness {
    var options: [String] = []

    func makePlace() async throws -> any ContractPlace { try await InfiniteScalePlace(options, isPassedOn: true) }
}

@Suite struct `The WebDAV submitter on a fake ownCloud Infinite Scale` {
    @Test(arguments: ContractSuite.cases)
    func `keeps the contract with tus`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(
            InfiniteScaleHarness(), leavingOut: [.secrets, .digests])
    }

    private static let again = Remedy.retry(after: nil)
    private static let bytes = ScriptedBytes(ScriptedBytes.content(count: 400_000))

    private func profile(_ place: InfiniteScalePlace) async throws -> ServerProfile {
        let notes = KeptNotes()
        _ = try await place.place.access.submitter(["folder": place.place.name], notes: notes).check()
        return try #require(ServerProfile(notes.all.first, now: .now))
    }

    @Test func `is found to check pieces and the whole`() async throws {
        let place = try await InfiniteScalePlace(["--tus-chunk", "100000"])
        var offer = TusOffer()
        offer.pieceDigest = .sha1
        offer.checksWhole = true
        offer.largestPiece = 100_000
        #expect(try await profile(place).upload == .tus(offer))
        #expect(try await place.leftovers() == [])
        await place.remove()
    }

    /// As the real one does.
    @Test func `is found to check the whole only`() async throws {
        let place = try await InfiniteScalePlace(["--tus-checksum", "ignore"])
        var offer = TusOffer()
        offer.checksWhole = true
        offer.largestPiece = 10_000_000
        #expect(try await profile(place).upload == .tus(offer))
        #expect(try await place.leftovers() == [])
        await place.remove()
    }

    @Test(arguments: ["POST", "PATCH", "HEAD"])
    func `is not believed where it offers tus and has none`(method: String) async throws {
        let place = try await InfiniteScalePlace()
        try await place.server.plan(.answer(405).on(method, header: "Tus-Resumable", times: 0))
        #expect(try await profile(place).upload == nil)
        try await place.server.clearPlan()
        await place.remove()
    }

    @Test func `gets a large item by tus alone, once, dated and verified`() async throws {
        let place = try await InfiniteScalePlace()
        let submitter = try place.makeSubmitter()
        _ = try await submitter.check()
        try await place.server.forgetRequests()
        let item = Self.bytes.item(named: "a.jpg")
        let receipt = try await submitter.submit(item, bytes: Self.bytes, context: SubmissionContext(submission: "s-1"))
        #expect(receipt.evidence == .verified)
        #expect(try await place.contents() == ["a.jpg": Self.bytes.content])
        #expect(try await place.leftovers() == [])
        #expect(try await place.server.bytesTaken() < 400_000 + 5_000)
        #expect(try await place.server.requests().allSatisfy { $0.method != "PUT" })
        #expect(try await place.tusRequests().map(\.method) == ["POST"] + Array(repeating: "PATCH", count: 5))
        let path = "\(place.server.data)/\(place.place.name)/a.jpg"
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        #expect(date?.timeIntervalSince1970 == 1_700_000_000)
        await place.remove()
    }

    @Test func `is told no date where none is wanted`() async throws {
        let place = try await InfiniteScalePlace()
        let access = place.place.access
        let submitter = try access.submitter(place.place.settings.merging(["dates": "none"]) { $1 })
        _ = try await submitter.check()
        try await place.server.forgetRequests()
        let item = Self.bytes.item(named: "a.jpg")
        _ = try await submitter.submit(item, bytes: Self.bytes, context: SubmissionContext(submission: "s-1"))
        let metadata = try #require(try await place.tusRequests().compactMap { $0["Upload-Metadata"] }.first)
        #expect(metadata.contains("filename ") && !metadata.contains("mtime"), "\(metadata)")
        await place.remove()
    }

    /// Tries again and again, as the engine does.
    private func endeavour(
        _ place: InfiniteScalePlace, faults: [CloudFault], verification: Verification = .usual, attempts: Int = 3
    ) async throws -> (receipt: Receipt, failures: [SubmitFailure], sent: Int) {
        let checkpoint = Locked<Checkpoint?>(nil)
        let submitter = try place.makeSubmitter()
        _ = try await submitter.check()
        let before = try await place.server.bytesTaken()
        for fault in faults { try await place.server.plan(fault) }
        var failures: [SubmitFailure] = []
        var receipt: Receipt?
        for attempt in 1...attempts {
            let context = SubmissionContext(
                submission: "s-1", attempt: attempt, verification: verification, checkpoint: checkpoint.withLock { $0 },
                keep: { kept in
                    checkpoint.withLock { $0 = kept }
                    return .success(())
                })
            do throws(SubmitFailure) {
                receipt = try await submitter.submit(
                    Self.bytes.item(named: "a.jpg"), bytes: Self.bytes, context: context)
                break
            } catch {
                failures.append(error)
            }
        }
        let arrived = try #require(receipt, "\(failures)")
        return (arrived, failures, try await place.server.bytesTaken() - before)
    }

    @Test(arguments: [
        CloudFault.cut(afterBodyBytes: 50_000).on("PATCH", skip: 2), .doneButDropped.on("PATCH", skip: 2),
        .doneButDropped.on("PATCH", skip: 4), .answer(500).on("PATCH", skip: 3), .answer(423).on("PATCH", skip: 3),
        .answer(460).on("PATCH", skip: 3), .doneButDropped.on("POST"), .doneButDropped.on("MOVE"),
        .answer(500).on("MOVE"), .answer(503).on("POST"),
    ])
    func `goes on after a fault`(fault: CloudFault) async throws {
        let place = try await InfiniteScalePlace()
        let (receipt, failures, sent) = try await endeavour(place, faults: [fault])
        #expect(receipt.evidence == .verified && failures.count == 1, "\(failures)")
        #expect(try await place.contents() == ["a.jpg": Self.bytes.content])
        // One piece at most.
        #expect(sent < 400_000 + 98_304 + 20_000)
        await place.remove()
    }

    @Test func `sends nothing again while it works on what it got`() async throws {
        let place = try await InfiniteScalePlace()
        let submitter = try place.makeSubmitter()
        _ = try await submitter.check()
        try await place.server.change(.postprocessing(3))
        let (receipt, failures, sent) = try await endeavour(place, faults: [], verification: .readback, attempts: 8)
        #expect(receipt.evidence == .verified)
        #expect(failures.allSatisfy { $0.code == "too-early" && $0.remedy == Self.again })
        #expect(!failures.isEmpty && sent < 400_000 + 20_000)
        #expect(try await place.contents() == ["a.jpg": Self.bytes.content])
        await place.remove()
    }

    @Test func `is found out while it works on what it got`() async throws {
        let place = try await InfiniteScalePlace(["--postprocessing", "3"])
        guard case .tus(let offer) = try await profile(place).upload else {
            Issue.record("no tus")
            return
        }
        #expect(offer.checksWhole && offer.pieceDigest == .sha1)
        await place.remove()
    }

    @Test func `begins anew when its upload is gone`() async throws {
        let place = try await InfiniteScalePlace()
        let checkpoint = Locked<Checkpoint?>(nil)
        let submitter = try place.makeSubmitter()
        _ = try await submitter.check()
        try await place.server.plan(.answer(503).on("PATCH", skip: 2))
        let item = Self.bytes.item(named: "a.jpg")
        await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(
                item, bytes: Self.bytes,
                context: SubmissionContext(
                    submission: "s-1",
                    keep: { kept in
                        checkpoint.withLock { $0 = kept }
                        return .success(())
                    }))
        }
        #expect(UploadCheckpoint(checkpoint.withLock { $0 })?.kind == .tus)
        try await place.server.expireUploads()
        let receipt = try await submitter.submit(
            item, bytes: Self.bytes,
            context: SubmissionContext(submission: "s-1", attempt: 2, checkpoint: checkpoint.withLock { $0 }))
        #expect(receipt.evidence == .verified)
        #expect(try await place.contents() == ["a.jpg": Self.bytes.content])
        #expect(try await place.leftovers() == [])
        await place.remove()
    }

    @Test func `leaves nothing of what is discarded`() async throws {
        let place = try await InfiniteScalePlace()
        let checkpoint = Locked<Checkpoint?>(nil)
        let submitter = try place.makeSubmitter()
        _ = try await submitter.check()
        try await place.server.plan(.answer(503).on("PATCH", skip: 2))
        let item = Self.bytes.item(named: "a.jpg")
        let failure = await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(
                item, bytes: Self.bytes,
                context: SubmissionContext(
                    submission: "s-1",
                    keep: { kept in
                        checkpoint.withLock { $0 = kept }
                        return .success(())
                    }))
        }
        #expect(failure?.code == "unavailable")
        #expect(try await place.leftovers() != [])
        try await submitter.discard(
            item, context: SubmissionContext(submission: "s-1", checkpoint: checkpoint.withLock { $0 }))
        #expect(try await place.leftovers() == [])
        #expect(try await place.contents() == [:])
        await place.remove()
    }
}

/// Notes that can be looked at.
private final class KeptNotes: DestinationNotes {
    private let notes = Locked<[String: [UInt8]]>([:])

    var all: [[UInt8]] { notes.withLock { Array($0.values) } }
    func read(_ topic: String) async -> [UInt8]? { notes.withLock { $0[topic] } }
    func write(_ topic: String, _ note: [UInt8]?) async { notes.withLock { $0[topic] = note } }
}
