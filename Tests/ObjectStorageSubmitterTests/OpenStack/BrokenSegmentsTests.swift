import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

private let reset = HTTPFailure.broken("Connection reset by peer", afterBody: true)

/// Large objects of which a piece is gone by itself: what lists them shows them as if they were whole.
@Suite struct `A large object without one of its segments` {
    private func presence(_ endeavour: SegmentEndeavour, _ receipt: Receipt, reads: Bool) async throws -> Presence {
        let facet = try #require(endeavour.submitter.facets.presence)
        let item = endeavour.bytes.item(named: endeavour.name)
        if reads { return await facet.presenceReadBack(of: item, receipt: receipt) }
        return await facet.presence(of: item, receipt: receipt)
    }

    @Test(arguments: [true, false])
    func `is lost, and gets just that again`(isGone: Bool) async throws {
        let endeavour = try SegmentEndeavour(FakeSwift())
        let receipt = try await endeavour.attempt()
        for reads in [true, false] {
            #expect(try await presence(endeavour, receipt, reads: reads) == .present(reads ? .verified : .echoed))
        }
        let second = endeavour.swift.segments[1]
        endeavour.swift.change {
            $0.containers["photos_segments"]?[second] =
                isGone ? nil : .init(bytes: [UInt8](repeating: 1, count: 32 << 10))
        }
        for reads in [true, false] {
            #expect(try await presence(endeavour, receipt, reads: reads) == (isGone ? .absent : .changed(.digest)))
        }
        let before = endeavour.swift.taken
        let mended = try await endeavour.attempt()
        #expect(mended.remoteID == "a.jpg" && mended.evidence == .verified && !mended.wasThere)
        #expect(mended.note?.contains("1 ") == true)
        #expect(endeavour.swift.taken - before == SegmentEndeavour.partSize)
        #expect(endeavour.swift.objects == ["a.jpg": endeavour.bytes.content])
        #expect(try await presence(endeavour, mended, reads: true) == .present(.verified))
    }

    @Test func `is not lost where a listing lags behind`() async throws {
        let endeavour = try SegmentEndeavour(FakeSwift())
        let receipt = try await endeavour.attempt()
        let second = endeavour.swift.segments[1]
        endeavour.swift.change { $0.unlisted = [second] }
        #expect(try await presence(endeavour, receipt, reads: false) == .present(.echoed))
    }

    /// It is made of another's segments, or was changed on purpose: it stays as it is.
    @Test func `of other bytes gets none of ours`() async throws {
        let endeavour = try SegmentEndeavour(FakeSwift())
        _ = try await endeavour.attempt()
        let other = try SegmentEndeavour(endeavour.swift, seed: 2, submission: "test-2")
        let second = endeavour.swift.segments[1]
        endeavour.swift.change { $0.containers["photos_segments"]?[second] = nil }
        #expect(try await other.attempt().remoteID == "a-1.jpg")
        #expect(!endeavour.swift.segments.contains(second))
    }
}

/// Ceph's gateway answers 200 and nothing where the manifest of a large object is asked for.
@Suite struct `A cluster that tells no manifest` {
    @Test func `is believed that an object is complete, by its segments and its ETag`() async throws {
        let once = OnceInSegments(.manifest)
        let swift = FakeSwift([.emptyManifests], after: { sent, _, _ in once.strikes(sent) ? .failure(reset) : nil })
        let endeavour = try SegmentEndeavour(swift)
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        #expect(try await endeavour.arrives(wasThere: true) == 0)
    }

    @Test func `keeps the segments of an object, whatever is removed`() async throws {
        let swift = FakeSwift([.emptyManifests])
        let endeavour = try SegmentEndeavour(swift)
        _ = try await endeavour.attempt()
        let note = try #require(endeavour.checkpoint)
        let facet = try #require(endeavour.submitter.facets.leftovers)
        #expect(try await facet.list(sparing: []) == [])
        // Where no listing tells it, nothing is taken for unused.
        let second = swift.segments[1]
        swift.change { $0.unlisted = [second] }
        #expect(try await facet.list(sparing: []) == [])
        try await endeavour.discard()
        #expect(note == endeavour.checkpoint && swift.segments.count == 5)
        #expect(swift.objects == ["a.jpg": endeavour.bytes.content])
    }

    @Test func `gets an object replaced without segments that are left`() async throws {
        let swift = FakeSwift([.emptyManifests])
        _ = try await SegmentEndeavour(swift).attempt()
        let other = try SegmentEndeavour(swift, seed: 2, submission: "test-2")
        _ = try await other.attempt(onConflict: .overwrite)
        #expect(swift.objects == ["a.jpg": other.bytes.content] && swift.leftovers == [])
    }
}
