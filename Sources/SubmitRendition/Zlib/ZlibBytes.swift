internal import Submit

/// A zlib stream in memory (RFC 1950).
enum ZlibBytes {
    private struct Memory: CompressedBytes {
        let bytes: UnsafeRawBufferPointer
        var isTaken = false

        mutating func next() -> UnsafeRawBufferPointer {
            defer { isTaken = true }
            return isTaken ? UnsafeRawBufferPointer(start: nil, count: 0) : bytes
        }
    }

    /// What it unpacks to; `nil` for what is none, and for more than so many bytes.
    ///
    /// - Parameter toTheEnd: bytes behind it make it none, too.
    static func unpacked(_ bytes: ArraySlice<UInt8>, most: Int64, toTheEnd: Bool) -> [UInt8]? {
        bytes.withUnsafeBytes { bytes in
            var inflation = Inflation(Memory(bytes: bytes), keeps: true, most: most)
            switch try? inflation.run() {
            case .complete?: return inflation.output
            case .bytesBehind? where !toTheEnd: return inflation.output
            default: return nil
            }
        }
    }

    /// These bytes as a stream, as they are: it is written, and not for being small.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xffff)
            rest = rest.dropFirst(block.count)
            stream.append(rest.isEmpty ? 1 : 0)
            stream.append(littleEndian: block.count, width: 2)
            stream.append(littleEndian: ~block.count & 0xffff, width: 2)
            stream += block
        } while !rest.isEmpty
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65521
            high = (high + low) % 65521
        }
        stream.append(bigEndian: high << 16 | low, width: 4)
        return stream
    }
}
