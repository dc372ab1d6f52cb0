internal import CISAL
public import Submit

extension Digests {
    /// The CRC-32C of bytes whose parts' CRC-32Cs are known.
    ///
    /// - Parameter parts: in order, each four bytes long as ``DigestAlgorithm/crc32c`` has them, with its bytes' number.
    public static func crc32c(ofParts parts: some Sequence<(crc: [UInt8], size: Int64)>) -> [UInt8] {
        // A CRC is linear: what follows changes it as so many zeros would, and by its own CRC.
        let whole = parts.reduce(into: UInt32(0)) { whole, part in
            var left = part.size
            while left > 0 {
                let count = min(left, Int64(zeros.count))
                zeros.withUnsafeBufferPointer { zeros in
                    whole = crc32_iscsi(UnsafeMutablePointer(mutating: zeros.baseAddress), CInt(count), whole)
                }
                left -= count
            }
            whole ^= part.crc.reduce(0) { $0 << 8 | UInt32($1) }
        }
        return withUnsafeBytes(of: whole.bigEndian, Array.init)
    }

    private static let zeros = [UInt8](repeating: 0, count: 64 << 10)
}
