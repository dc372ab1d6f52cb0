import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import SubmitTransfer
import Testing

@testable import ObjectStorageSubmitter

private let reset = HTTPFailure.broken("Connection reset by peer", afterBody: false)
private let part = SegmentEndeavour.partSize
private let all5 = 4 * part + 5000

/// What uploads in segments leave: nothing, whoever ends them.
@Suite struct `What an upload in segments leaves` {
    /// An endeavour of which so many segments are there.
    private func begun(
        segments: Int, on swift: FakeSwift? = nil, named name: String = "a.jpg", submission: String = "test-1"
    ) async throws -> SegmentEndeavour {
        let once = OnceInSegments(.segment(segments + 1))
        let swift = swift ?? FakeSwift { once.strikes($0) ? .failure(reset) : nil }
        let endeavour = try SegmentEndeavour(swift, named: name, submission: submission)
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        return endeavour
    }

    /// A cluster that takes no third segment.
    private func without3rd() -> FakeSwift { FakeSwift { SegmentStep($0) == .segment(3) ? .failure(reset) : nil } }

    @Test func `is removed when others came first and are left alone`() async throws {
        let endeavour = try await begun(segments: 2)
        endeavour.swift.change { $0.containers["photos"]?["a.jpg"] = .init(bytes: [1, 2, 3]) }
        let receipt = try await endeavour.attempt(onConflict: .skip)
        #expect(receipt.note?.contains("left alone") == true)
        #expect(endeavour.swift.segments == [] && endeavour.swift.objects == ["a.jpg": [1, 2, 3]])
    }

    @Test func `is removed when others came first and it gets another name`() async throws {
        let endeavour = try await begun(segments: 2)
        endeavour.swift.change { $0.containers["photos"]?["a.jpg"] = .init(bytes: [1, 2, 3]) }
        #expect(try await endeavour.attempt().remoteID == "a-1.jpg")
        #expect(endeavour.swift.leftovers == [] && endeavour.swift.segments.count == 5)
    }

    @Test func `goes on in segments of the size it was begun with`() async throws {
        let endeavour = try await begun(segments: 2)
        let larger = try SegmentEndeavour(endeavour.swift, ["part_size": "64KiB"], checkpoint: endeavour.checkpoint)
        #expect(try await larger.arrives() == all5 - 2 * part)
    }

    @Test func `is gone though listings still name it`() async throws {
        let endeavour = try await begun(segments: 2)
        let listed = Locked<HTTPResponse?>(nil)
        let stale = FakeSwift(
            script: { sent in SegmentStep(sent) == .list ? listed.withLock { $0 }.map { .success($0) } : nil })
        let names = endeavour.swift.segments.map { "{\"name\": \"\($0)\", \"bytes\": 1, \"hash\": \"\"}" }
        listed.withLock {
            $0 = HTTPResponse(status: 200, body: Array("[\(names.joined(separator: ","))]".utf8))
        }
        try await SegmentEndeavour(stale, checkpoint: endeavour.checkpoint).discard()
        #expect(stale.steps.count { $0 == .removeSegment } == 6)
    }

    @Test func `is not what it replaced`() async throws {
        let swift = FakeSwift()
        let old = try SegmentEndeavour(swift, submission: "test-1")
        _ = try await old.attempt()
        let new = try SegmentEndeavour(swift, seed: 2, submission: "test-2")
        let receipt = try await new.attempt(onConflict: .overwrite)
        #expect(receipt.evidence == .verified && swift.objects == ["a.jpg": new.bytes.content])
        #expect(swift.leftovers == [] && swift.segments.count == 5)
        // A small one has none at all.
        let small = try SegmentEndeavour(swift, seed: 3, ["parts_above": "1GiB"], submission: "test-3")
        _ = try await small.attempt(onConflict: .overwrite)
        #expect(swift.objects == ["a.jpg": small.bytes.content] && swift.segments == [])
    }

    /// Segments of other programs may be used elsewhere too; so may those that were copied with their manifest.
    @Test func `of what it replaced is not removed when it may be someone else's`() async throws {
        let swift = FakeSwift()
        let theirs = [
            "a.jpg/1700000000.0/9/3/00000000", "b.jpg/slo/test-9/9/3/00000001", "a.jpg/slo/1700000000.0/9/3/00000001",
        ]
        swift.change { state in
            state.containers["photos_segments"] = [:]
            for name in theirs { state.containers["photos_segments"]?[name] = .init(bytes: [1, 2, 3]) }
            state.containers["else"] = ["a.jpg/slo/test-9/9/3/00000001": .init(bytes: [4])]
            state.containers["photos"]?["a.jpg"] = .init(
                bytes: [], segments: theirs.map { "/photos_segments/" + $0 } + ["/else/a.jpg/slo/test-9/9/3/00000001"])
        }
        let endeavour = try SegmentEndeavour(swift)
        #expect(try await endeavour.attempt(onConflict: .overwrite).evidence == .verified)
        #expect(swift.objects == ["a.jpg": endeavour.bytes.content] && swift.leftovers == theirs.sorted())
        swift.change { #expect($0.containers["else"]?.count == 1) }
    }

    @Test func `of what it replaced stays a leftover where it cannot be removed, and the item has arrived`()
        async throws
    {
        let swift = FakeSwift { SegmentStep($0) == .removeSegment ? .success(HTTPResponse(status: 503)) : nil }
        _ = try await SegmentEndeavour(swift).attempt()
        let new = try SegmentEndeavour(swift, seed: 2, submission: "test-2")
        #expect(try await new.attempt(onConflict: .overwrite).evidence == .verified)
        let leftovers = try #require(new.submitter.facets.leftovers)
        #expect(try await leftovers.list(sparing: []).map(\.id) == ["a.jpg/slo/test-1/136072/32768/"])
    }

    @Test func `is listed over many pages, but for what is used and what is to go on`() async throws {
        let swift = without3rd()
        var notes: [Checkpoint] = []
        for number in 1...4 {
            let broken = try await begun(segments: 2, on: swift, named: "b\(number).jpg", submission: "test-\(number)")
            notes.append(try #require(broken.checkpoint))
        }
        let whole = try SegmentEndeavour(swift, ["part_size": "128KiB"], submission: "test-5")
        _ = try await whole.attempt()
        let leftovers = try #require(whole.submitter.facets.leftovers)
        let found = try await leftovers.list(sparing: [notes[1], Checkpoint(data: [1, 2, 3])])
        #expect(found.map(\.name) == ["b1.jpg", "b3.jpg", "b4.jpg"])
        #expect(found.allSatisfy { $0.bytes == Int64(2 * part) && $0.begun != nil })
        for leftover in found { try await leftovers.remove(leftover) }
        #expect(swift.segments.count == 4 && swift.leftovers.allSatisfy { $0.hasPrefix("b2.jpg/") })
        #expect(swift.objects == ["a.jpg": whole.bytes.content])
    }

    @Test func `is not removed as a leftover when it has become an object meanwhile`() async throws {
        let endeavour = try await begun(segments: 2)
        let leftovers = try #require(endeavour.submitter.facets.leftovers)
        let found = try await leftovers.list(sparing: [])
        #expect(found.count == 1)
        _ = try await endeavour.attempt()
        for leftover in found { try await leftovers.remove(leftover) }
        #expect(endeavour.swift.objects == ["a.jpg": endeavour.bytes.content])
    }

    /// Whose object they are cannot be read from their names any more.
    @Test(arguments: ["x", "é"])
    func `under the longest key arrives, and is never listed as a leftover`(letter: String) async throws {
        let swift = FakeSwift()
        let endeavour = try SegmentEndeavour(swift, ["prefix": Self.longPrefix(letter)])
        let receipt = try await endeavour.attempt()
        #expect(receipt.evidence == .verified && receipt.remoteID.utf8.count > 1000)
        #expect(swift.objects.values.map { $0 } == [endeavour.bytes.content] && swift.leftovers == [])
        #expect(swift.segments.count == 5 && swift.segments.allSatisfy { (1020...1024).contains($0.utf8.count) })
        let leftovers = try #require(endeavour.submitter.facets.leftovers)
        #expect(try await leftovers.list(sparing: []) == [])
        swift.change { $0.containers["photos"] = [:] }
        #expect(try await leftovers.list(sparing: []) == [])
    }

    @Test func `under the longest key goes on, and is removed when it is cancelled`() async throws {
        let swift = without3rd()
        let endeavour = try SegmentEndeavour(swift, ["prefix": Self.longPrefix("é")])
        for _ in 0..<2 { await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() } }
        #expect(swift.segments.count == 2 && swift.taken == 2 * part)
        try await endeavour.discard()
        #expect(swift.segments == [])
    }

    /// Of 1,003 bytes, with a key that is longer.
    private static func longPrefix(_ letter: String) -> String {
        let folder = String(repeating: letter, count: 200 / letter.utf8.count)
        return (Array(repeating: folder, count: 5)).joined(separator: "/").dropLast(1) + "x"
    }

    /// There is no name for the segments' container.
    @Test func `in a container with the longest name is nothing, since all goes whole`() async throws {
        let name = String(repeating: "c", count: 256)
        let swift = FakeSwift()
        swift.change { $0.containers[name] = [:] }
        let endeavour = try SegmentEndeavour(swift, ["bucket": name])
        #expect(try await endeavour.attempt().evidence == .verified)
        swift.change { #expect($0.containers[name]?["a.jpg"]?.bytes == endeavour.bytes.content) }
    }
}

/// Listings as clusters hand them out.
@Suite struct `A listing of segments` {
    private func broken(
        after: @escaping FakeSwift.After = { _, _, _ in nil }, _ quirks: Set<FakeSwift.Quirk> = []
    ) async throws -> SegmentEndeavour {
        let once = OnceInSegments(.manifest)
        let endeavour = try SegmentEndeavour(
            FakeSwift(quirks, script: { once.strikes($0) ? .failure(reset) : nil }, after: after))
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        return endeavour
    }

    @Test func `that does not show one yet has it sent again, and it alone`() async throws {
        let endeavour = try await broken()
        endeavour.swift.change { $0.unlisted = [endeavour.swift.segmentNamed(2, in: $0)] }
        #expect(try await endeavour.arrives() == part)
    }

    @Test func `that repeats itself has an end, and what it does not name is sent again`() async throws {
        let endeavour = try await broken([.repeatsPages])
        #expect(try await endeavour.arrives() == all5 - 2 * part)
    }

    @Test func `of which half came is asked for again before anything is sent`() async throws {
        let once = OnceInSegments(.list)
        let endeavour = try await broken(after: { sent, answer, _ in
            guard once.strikes(sent) else { return nil }
            return .success(HTTPResponse(status: 200, headers: answer.headers, body: Array(answer.body.dropLast(9))))
        })
        let before = endeavour.swift.taken
        try await endeavour.fails(.retry(after: nil), "bad-answer")
        #expect(endeavour.swift.taken == before)
        #expect(try await endeavour.arrives() == 0)
    }

    @Test func `that is a page for people says that this is no Swift`() async throws {
        let once = OnceInSegments(.list)
        let endeavour = try await broken(after: { sent, _, _ in
            once.strikes(sent) ? .success(HTTPResponse(status: 200, body: Array("<html>Log in</html>".utf8))) : nil
        })
        try await endeavour.fails(.hold(.misconfigured, after: nil), "wrong-endpoint")
    }

    /// The order of bytes is not the order of texts: "e" with an accent of its own comes before "f" in bytes alone.
    @Test func `with accents of their own is read to its end`() async throws {
        let swift = FakeSwift()
        swift.change { state in
            state.pageSize = 1
            state.containers["photos_segments"] = [:]
            for key in ["e\u{301}", "f", "z"] {
                state.containers["photos_segments"]?["\(key)/slo/test-1/9/3/00000001"] = .init(bytes: [1])
            }
        }
        let leftovers = try #require(try swift.submitter().facets.leftovers)
        #expect(try await leftovers.list(sparing: []).map(\.name).count == 3)
    }

    @Test(arguments: [10_000, 999])
    func `of ten thousand is read to its end, and what is missing is sent`(pageSize: Int) async throws {
        let count = 10_000
        let size = 16
        let bytes = ScriptedBytes(ScriptedBytes.content(count: count * size))
        let swift = FakeSwift()
        let note = SegmentedUploadCheckpoint(
            container: "photos", key: "a.jpg", PartPlan(size: bytes.size, partSize: Int64(size)), submission: "test-1")
        let missing = [1, 5000, 10_000]
        swift.change { state in
            state.pageSize = pageSize
            state.containers["photos_segments"] = [:]
            for number in 1...count where !missing.contains(number) {
                state.containers["photos_segments"]?[note.name(number)] = .init(
                    bytes: Array(bytes.content[(number - 1) * size..<number * size]))
            }
        }
        let receipt = try await swift.submitter(["parts_above": "1KiB"]).submit(
            bytes.item(named: "a.jpg"), bytes: bytes,
            context: SubmissionContext(submission: "test-1", checkpoint: note.checkpoint))
        #expect(receipt.evidence == .verified && swift.objects == ["a.jpg": bytes.content])
        #expect(swift.taken == missing.count * size && swift.leftovers == [])
        #expect(swift.steps.count { $0 == .list } == (count - 3 + pageSize - 1) / pageSize + 1)
    }
}

extension FakeSwift {
    /// The name of a segment, of those that there are.
    func segmentNamed(_ number: Int, in state: State) -> String {
        state.containers["photos_segments"]?.keys.first { $0.hasSuffix("0000000\(number)") } ?? ""
    }
}
