import Submit
import SubmitConcurrency
import Testing

@testable import SubmitTesting

@Suite struct `An invented picture or video` {
    @Test(arguments: InventedMedia.allCases, [900, 1000, 65_535, 65_536, 65_537, 70_000, 131_283, 131_284, 1 << 20])
    func `has the size that is asked for, and its format's marks`(_ media: InventedMedia, _ count: Int) {
        let bytes = media.bytes(count: count, seed: 5)
        #expect(bytes.count == count)
        switch media {
        case .jpeg: #expect(bytes.starts(with: [0xff, 0xd8, 0xff]) && bytes.suffix(2) == [0xff, 0xd9])
        case .png:
            #expect(
                bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) && bytes.suffix(8).prefix(4).elementsEqual("IEND".utf8))
        case .mp4: #expect(bytes[4..<8].elementsEqual("ftyp".utf8))
        }
        #expect(bytes == media.bytes(count: count, seed: 5) && bytes != media.bytes(count: count, seed: 6))
    }

    @Test func `is a picture whose segments lead from one to the next`() throws {
        for count in 206...300 {
            let bytes = InventedMedia.jpeg.bytes(count: count, seed: 1)
            var index = 2
            while bytes[index + 1] != 0xda {
                #expect(bytes[index] == 0xff, "at \(index) of \(count)")
                if bytes[index + 1] == 0xff {
                    index += 1
                } else {
                    index += 2 + Int(bytes[index + 2]) << 8 + Int(bytes[index + 3])
                }
            }
        }
    }

    @Test(arguments: InventedMedia.allCases) func `is noise where there is no room for one`(_ media: InventedMedia) {
        for count in [0, 1, 50] { #expect(media.bytes(count: count, seed: 1).count == count) }
    }
}

/// A service that knows bytes again, whoever sent them and whenever: what it had it does not store.
private struct KnowingSubmitter: Submitter {
    let inner: InMemorySubmitter
    let known: Locked<[[UInt8]: ObjectIdentifier]>

    var capabilities: Capabilities { inner.capabilities }
    var facets: Facets { inner.facets }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let (digest, here) = (item.digests[.sha256] ?? [], ObjectIdentifier(inner.place))
        let isKnown = known.withLock { known in
            defer { if known[digest] == nil { known[digest] = here } }
            return item.size > 1 && known[digest].map { $0 != here } ?? false
        }
        if isKnown { return Receipt(remoteID: "elsewhere", evidence: .verified, wasThere: true) }
        return try await inner.submit(item, bytes: bytes, context: context)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await inner.discard(item, context: context)
    }

    func check() async throws(SubmitFailure) -> String { try await inner.check() }
}

@Suite struct `At a service that knows bytes again` {
    @Test func `every promise is tried with bytes of its own, as often as it is tried`() async throws {
        let known = Locked<[[UInt8]: ObjectIdentifier]>([:])
        let places = Locked<[InMemoryPlace]>([])
        let harness = InMemoryHarness(
            resumes: true,
            wrap: { inner in
                // Kept, so that none has the address of one before.
                places.withLock { $0.append(inner.place) }
                return KnowingSubmitter(inner: inner, known: known)
            })
        for _ in 1...2 {
            for promise in ContractSuite.cases { #expect(try await promise.run(harness) == .kept, "\(promise)") }
        }
    }
}
