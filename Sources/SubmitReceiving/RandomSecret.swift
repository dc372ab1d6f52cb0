internal import Crypto

/// Secrets that nobody can guess, and the digests that are kept of them.
enum RandomSecret {
    /// Random bytes as base64url without padding.
    static func text(bytes count: Int) -> String {
        // The system's generator is fit for keys: getrandom(2).
        var generator = SystemRandomNumberGenerator()
        return base64url((0..<count).map { _ in UInt8.random(in: 0 ... .max, using: &generator) })
    }

    static func base64url(_ bytes: [UInt8]) -> String {
        let signs = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for index in 0...group.count { text.append(signs[Int(bits >> (18 - 6 * UInt32(index)) & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    /// In a time that says nothing of where they differ.
    static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
