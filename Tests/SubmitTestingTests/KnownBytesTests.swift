import Submit
import Testing

@testable import SubmitTesting

/// Whose bytes were found, as a complaint says it.
@Suite struct `Bytes that were found` {
    private static let first = ScriptedBytes.content(count: 300, seed: 1)
    private static let second = ScriptedBytes.content(count: 300, seed: 2)

    private func names(_ copies: [UInt8]...) -> String {
        let known = KnownBytes()
        known.add(Self.first)
        known.add(Self.first)
        known.add([1, 2, 3], of: "someone else's")
        known.add(Self.second)
        return KnownBytes.$ofThisRun.withValue(known) { KnownBytes.names(of: copies) }
    }

    @Test func `are told as whose they are`() {
        #expect(names(Self.second).hasPrefix("the second item's 300 bytes (sha256 "))
        #expect(names([1, 2, 3]) == "someone else's 3 bytes (sha256 039058c6)")
        #expect(names(Array(Self.first.prefix(40))).hasPrefix("the first item's first 40 bytes of 300 (sha256 "))
        var damaged = Self.first
        damaged[100] ^= 1
        #expect(names(damaged).hasPrefix("300 bytes, of which the first 100 are the first item's (sha256 "))
        #expect(names([9, 9]).hasPrefix("2 bytes of nobody (sha256 "))
        #expect(names([]) == "an empty copy (sha256 e3b0c442)")
        #expect(names() == "nothing")
    }

    @Test func `are told by a case that finds half a copy`() async throws {
        let cutting = BrokenSubmitter("stores half", breaks: []) { deviation, sound in
            deviation.onReceipt { [place = sound.place] receipt, _ in
                place.put(place.contents[receipt.remoteID].map { Array($0.prefix(40)) }, as: receipt.remoteID)
            }
        }
        let promise = try #require(ContractSuite.cases.first { $0.id == "size-65535" })
        let complaint = await #expect(throws: ContractViolation.self) {
            try await promise.run(InMemoryHarness(wrap: cutting.wrap))
        }
        let text = try #require(complaint?.description)
        #expect(text.contains("there should be the first item's 65535 bytes (sha256 "), "\(text)")
        #expect(
            text.contains("and there is “photo.jpg” with the first item's first 40 bytes of 65535 (sha256 "), "\(text)")
    }
}
