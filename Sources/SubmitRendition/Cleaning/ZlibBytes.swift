internal import CISAL
internal import SubmitPlatform

/// A zlib stream in memory (RFC 1950).
enum ZlibBytes {
    /// What it unpacks to; `nil` for what is none, and for more than so many bytes.
    static func unpacked(_ bytes: ArraySlice<UInt8>, most: Int) -> [UInt8]? {
        guard let state = submit_inflate_begin() else { return nil }
        defer { free(state) }
        let input = Array(bytes)
        var output: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 64 << 10)
        var left = UInt32(input.count)
        while output.count <= most {
            var written = UInt32(room.count)
            let before = left
            let result = submit_inflate(
                state, Array(input[(input.count - Int(left))...]), &left, &room, &written)
            output += room[..<Int(written)]
            switch result {
            case 1, 2: return output
            case 0 where written > 0 || left < before: continue
            default: return nil
            }
        }
        return nil
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
