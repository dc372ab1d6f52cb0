internal import CISAL
internal import Crypto
public import Submit

/// One pass over some bytes that computes several digests together.
public struct DigestPass {
    private var sha256: SHA256?
    private var sha1: Insecure.SHA1?
    private var md5: Insecure.MD5?
    private var crc32c: UInt32?

    /// A pass that has taken nothing in.
    ///
    /// - Parameter algorithms: what ``finalize()`` gives. Each takes time of its own for every byte.
    public init(_ algorithms: Set<DigestAlgorithm>) {
        if algorithms.contains(.sha256) { sha256 = SHA256() }
        if algorithms.contains(.sha1) { sha1 = Insecure.SHA1() }
        if algorithms.contains(.md5) { md5 = Insecure.MD5() }
        if algorithms.contains(.crc32c) { crc32c = ~0 }
    }

    /// Takes in the next bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        sha256?.update(bufferPointer: bytes)
        sha1?.update(bufferPointer: bytes)
        md5?.update(bufferPointer: bytes)
        guard var crc = crc32c else { return }
        // ISA-L counts in `int` and leaves the inversions before and after to its caller.
        for offset in stride(from: 0, to: bytes.count, by: 1 << 30) {
            let piece = UnsafeMutableRawPointer(mutating: start + offset).assumingMemoryBound(to: UInt8.self)
            crc = crc32_iscsi(piece, CInt(min(1 << 30, bytes.count - offset)), crc)
        }
        crc32c = crc
    }

    /// The digests of all bytes taken in so far.
    public func finalize() -> Digests {
        var digests = Digests()
        if let sha256 { digests[.sha256] = Array(sha256.finalize()) }
        if let sha1 { digests[.sha1] = Array(sha1.finalize()) }
        if let md5 { digests[.md5] = Array(md5.finalize()) }
        if let crc32c { digests[.crc32c] = withUnsafeBytes(of: (~crc32c).bigEndian, Array.init) }
        return digests
    }
}
