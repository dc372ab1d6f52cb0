import Glibc
import Submit
import SubmitConcurrency
import SubmitDigest
import Testing

private let all = Set(DigestAlgorithm.allCases)

/// Bytes in memory that count how often each is read.
private final class MemoryBytes: MediaBytes {
    let content: [UInt8]
    let readings = Locked(0)

    init(_ content: [UInt8]) { self.content = content }

    var size: Int64 { Int64(content.count) }
    var fileDescriptor: CInt? { nil }
    func verifyUnchanged() throws(SubmitFailure) {}

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let count = max(0, min(buffer.count, content.count - Int(offset)))
        if count > 0 { buffer.copyBytes(from: content[Int(offset)..<Int(offset) + count]) }
        readings.withLock { $0 += count }
        return count
    }
}

/// What `sha256sum` and its like say.
private func digest(by program: String, of content: [UInt8]) throws -> String {
    var name = Array("/tmp/submit-digest-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    defer { close(descriptor) }
    let path = text(name)
    defer { unlink(path) }
    try #require(content.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == content.count)
    let pipe = try #require(popen("\(program) < \(path)", "r"))
    defer { pclose(pipe) }
    var line = [CChar](repeating: 0, count: 200)
    try #require(fgets(&line, 200, pipe) != nil)
    return String(text(line).prefix { $0 != " " })
}

private func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

@Suite struct DigestTests {
    @Test(arguments: [
        (
            "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709", "d41d8cd98f00b204e9800998ecf8427e", "00000000"
        ),
        (
            "123456789", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
            "f7c3bc1d808e04732adf679965ccc34ca7ae3441", "25f9e794323b453885f5181f1b624d0b", "e3069283"
        ),
    ])
    func `published vectors come out`(text: String, sha256: String, sha1: String, md5: String, crc32c: String) throws {
        let digests = try Digests.reading(all, of: MemoryBytes(Array(text.utf8)))
        #expect(digests.hexadecimal(.sha256) == sha256)
        #expect(digests.hexadecimal(.sha1) == sha1)
        #expect(digests.hexadecimal(.md5) == md5)
        #expect(digests.hexadecimal(.crc32c) == crc32c)
    }

    /// RFC 3720, appendix B.4.
    @Test func `CRC-32C agrees with the standard's own examples`() {
        func crc(_ bytes: [UInt8]) -> String? {
            var pass = DigestPass([.crc32c])
            bytes.withUnsafeBytes { pass.update($0) }
            return pass.finalize().hexadecimal(.crc32c)
        }
        #expect(crc([UInt8](repeating: 0, count: 32)) == "8a9136aa")
        #expect(crc([UInt8](repeating: 0xff, count: 32)) == "62a8ab43")
        #expect(crc(Array(0..<32)) == "46dd794e")
        #expect(crc(Array((0..<32).reversed())) == "113fdb5c")
    }

    @Test(arguments: [1, 4096, 262_143, 262_144, 262_145, 8_388_607, 8_388_608, 8_388_609, 9_999_999])
    func `every size agrees with the system's programs and is read once`(size: Int) throws {
        var content = [UInt8](repeating: 0, count: size)
        let random = open("/dev/urandom", O_RDONLY)
        defer { close(random) }
        try #require(read(random, &content, size) == size)
        let bytes = MemoryBytes(content)
        let digests = try Digests.reading(all, of: bytes)
        #expect(digests.algorithms == all)
        #expect(try digests.hexadecimal(.sha256) == digest(by: "sha256sum", of: content))
        #expect(try digests.hexadecimal(.sha1) == digest(by: "sha1sum", of: content))
        #expect(try digests.hexadecimal(.md5) == digest(by: "md5sum", of: content))
        #expect(bytes.readings.withLock { $0 } == size)

        var whole = DigestPass([.crc32c])
        content.withUnsafeBytes { whole.update($0) }
        #expect(digests[.crc32c] == whole.finalize()[.crc32c])
    }

    @Test func `only what is asked for is computed`() throws {
        let bytes = MemoryBytes([UInt8](repeating: 7, count: 9 << 20))
        for algorithms: Set<DigestAlgorithm> in [
            [.sha256], [.md5], [.sha256, .crc32c], [.sha1, .sha256], [.md5, .sha1],
        ] {
            let digests = try Digests.reading(algorithms, of: bytes)
            #expect(digests.algorithms == algorithms)
            var pass = DigestPass(algorithms)
            bytes.content.withUnsafeBytes { pass.update($0) }
            #expect(digests == pass.finalize())
        }
    }

    @Test(arguments: [1 << 20, 20 << 20], [[.sha256], [.sha256, .md5]] as [Set<DigestAlgorithm>])
    func `cancelling stops within one buffer`(size: Int, algorithms: Set<DigestAlgorithm>) {
        let bytes = MemoryBytes([UInt8](repeating: 1, count: size))
        var asked = 0
        #expect(throws: SubmitFailure.cancelled) {
            try Digests.reading(
                algorithms, of: bytes,
                isCancelled: {
                    asked += 1
                    return asked > 3
                })
        }
        #expect(bytes.readings.withLock { $0 } == 3 * 262_144)
    }

    @Test(arguments: [1 << 20, 20 << 20])
    func `a failure to read is passed on`(size: Int64) {
        let failure = SubmitFailure(.giveUp, code: "source-changed", message: "It changed.")
        #expect(throws: failure) {
            try Digests.reading(all, size: size) { (buffer, offset) throws(SubmitFailure) in
                if offset >= 524_288 { throw failure }
                return buffer.count
            }
        }
    }

    @Test(arguments: [0, 5, 1 << 20, 20 << 20])
    func `whoever looks at the head sees the beginning once and may end the reading`(size: Int) throws {
        let bytes = MemoryBytes((0..<size).map { UInt8(truncatingIfNeeded: $0) })
        var heads: [[UInt8]] = []
        let digests = try Digests.reading(
            all, of: bytes, atHead: { (head) throws(SubmitFailure) in heads.append(Array(head)) })
        #expect(heads == (size == 0 ? [] : [Array(bytes.content.prefix(262_144))]))
        #expect(try digests == Digests.reading(all, of: bytes))
        if size == 0 { return }
        let before = bytes.readings.withLock { $0 }
        #expect(throws: SubmitFailure.cancelled) {
            try Digests.reading(all, of: bytes, atHead: { (_) throws(SubmitFailure) in throw .cancelled })
        }
        #expect(bytes.readings.withLock { $0 } - before == min(size, 262_144))
    }

    @Test func `an early end ends the reading`() throws {
        var rest = 300_000
        let digests = try Digests.reading(all, size: 20 << 20) { (buffer, _) throws(SubmitFailure) in
            let count = min(rest, buffer.count)
            rest -= count
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return count
        }
        #expect(try digests == Digests.reading(all, of: MemoryBytes([UInt8](repeating: 0, count: 300_000))))
    }

    @Test(arguments: [[0], [1], [0, 5, 0], [100_000, 1, 65_536, 70_001]])
    func `the CRC-32C of a whole follows from those of its parts`(_ sizes: [Int]) {
        let bytes = (0..<sizes.reduce(0, +)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        func crc(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var pass = DigestPass([.crc32c])
            bytes.withUnsafeBytes { pass.update($0) }
            return pass.finalize()[.crc32c]!
        }
        var rest = bytes[...]
        let parts = sizes.map { size -> (crc: [UInt8], size: Int64) in
            defer { rest = rest.dropFirst(size) }
            return (crc(rest.prefix(size)), Int64(size))
        }
        #expect(Digests.crc32c(ofParts: parts) == crc(bytes[...]))
    }
}
