/// A colour profile with the name that PNG gives it, unpacked.
struct ScannedPNGProfile {
    let name: [UInt8]
    let bytes: [UInt8]

    /// - Returns: `nil` where it cannot be read, or is more than any profile.
    init?(_ payload: [UInt8]) {
        guard let end = payload.prefix(80).firstIndex(of: 0), end > 0, payload.count > end + 2, payload[end + 1] == 0
        else {
            return nil
        }
        name = Array(payload[..<end])
        guard let unpacked = ZlibBytes.unpacked(payload[(end + 2)...], most: 16 << 20, toTheEnd: true) else {
            return nil
        }
        bytes = unpacked
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
