internal import Submit

/// A colour profile with the name that PNG gives it, unpacked.
struct ScannedPNGProfile {
    let name: [UInt8]
    let bytes: [UInt8]

    private struct Bytes: CompressedBytes {
        let bytes: UnsafeRawBufferPointer
        var isTaken = false

        mutating func next() -> UnsafeRawBufferPointer {
            defer { isTaken = true }
            return isTaken ? UnsafeRawBufferPointer(start: nil, count: 0) : bytes
        }
    }

    /// - Returns: `nil` where it cannot be read, or is more than any profile.
    init?(_ payload: [UInt8]) throws(SubmitFailure) {
        guard let end = payload.prefix(80).firstIndex(of: 0), end > 0, payload.count > end + 2, payload[end + 1] == 0
        else {
            return nil
        }
        name = Array(payload[..<end])
        let packed = payload[(end + 2)...]
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: packed.count, alignment: 1)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: packed)
        var inflation = Inflation(Bytes(bytes: UnsafeRawBufferPointer(buffer)), keeps: true, most: 16 << 20)
        guard case .complete = try inflation.run() else { return nil }
        bytes = inflation.output
    }

    /// What programs call any profile.
    private static let usualNames: Set<String> = [
        "ICC Profile", "ICC profile", "icc", "ICC", "sRGB", "Photoshop ICC profile", "Profile", "profile", "unnamed",
    ]

    /// Whether it is a usual name, or one that stands in the profile itself, which is searched anyway.
    var isNameHarmless: Bool {
        name.allSatisfy { 0x20...0x7e ~= $0 }
            && (Self.usualNames.contains(String(decoding: name, as: UTF8.self))
                || TellingWords.has(name, inTextOf: bytes))
    }
}
