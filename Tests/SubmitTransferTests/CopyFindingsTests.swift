import Submit
import SubmitConcurrency
import SubmitTransfer
import SystemPackage
import Testing

@Suite struct `Findings about a copy` {
    private func item(_ digests: [DigestAlgorithm: [UInt8]] = [.sha256: [1], .md5: [2], .crc32c: [3]]) -> MediaItem {
        MediaItem(
            source: "/photos/a.jpg", name: "a.jpg", size: 10,
            type: .other, modified: .now,
            digests: Digests(digests))
    }

    private func verdict(_ size: Int64? = 10, _ change: (inout CopyFindings) -> Void) -> CopyVerdict {
        var findings = CopyFindings(size: size)
        change(&findings)
        return findings.verdict(on: item())
    }

    @Test func `another size makes a copy differ, whatever its digests are`() {
        #expect(verdict(11) { $0.computed[.md5] = [2] } == .differs(.size))
    }

    @Test func `a computed digest decides, even if the size is unknown`() {
        #expect(verdict { $0.computed[.md5] = [2] } == .same(.verified))
        #expect(verdict(nil) { $0.computed[.md5] = [2] } == .same(.verified))
        #expect(verdict { $0.computed[.md5] = [9] } == .differs(.digest))
        #expect(verdict { ($0.computed[.md5], $0.echoed[.sha256]) = ([9], [1]) } == .differs(.digest))
    }

    @Test func `an echoed digest proves nothing without the size`() {
        #expect(verdict { $0.echoed[.sha256] = [1] } == .same(.echoed))
        #expect(verdict(nil) { $0.echoed[.sha256] = [1] } == .same(.unknown))
        #expect(verdict { ($0.computed[.md5], $0.echoed[.sha256]) = ([2], [9]) } == .differs(.digest))
    }

    @Test func `a CRC proves only a copy that came with the item's digest`() {
        #expect(verdict { $0.computed[.crc32c] = [3] } == .same(.size))
        #expect(verdict { ($0.computed[.crc32c], $0.echoed[.sha256]) = ([3], [1]) } == .same(.verified))
        #expect(verdict { ($0.computed[.crc32c], $0.echoed[.sha256]) = ([9], [1]) } == .differs(.digest))
    }

    @Test func `a value that may be a digest can prove a copy but not disprove it`() {
        #expect(verdict { $0.possible[.md5] = [2] } == .same(.verified))
        #expect(verdict { $0.possible[.md5] = [9] } == .doubtful)
        #expect(verdict { ($0.possible[.md5], $0.echoed[.sha256]) = ([9], [1]) } == .doubtful)
    }

    @Test func `digests that the item lacks leave the verdict to the size`() {
        var findings = CopyFindings(size: 10)
        findings.computed[.sha1] = [9]
        #expect(findings.verdict(on: item()) == .same(.size))
        findings.size = nil
        #expect(findings.verdict(on: item()) == .same(.unknown))
    }

    @Test func `a digest that can decide is computed once`() async throws {
        let bytes = PlainBytes(content: [UInt8](repeating: 7, count: 10))
        let digests = ItemDigests(item([.sha256: [1]]), bytes)
        var findings = CopyFindings(size: 10)
        #expect(try await digests.verdict(on: findings) == .same(.size))
        #expect(bytes.reads.withLock { $0 } == 0)
        findings.possible[.md5] = [9]
        #expect(try await digests.verdict(on: findings) == .doubtful)
        findings.possible[.md5] = try await digests.digest(.md5)
        #expect(try await digests.verdict(on: findings) == .same(.verified))
        #expect(bytes.reads.withLock { $0 } == 1)
    }
}
