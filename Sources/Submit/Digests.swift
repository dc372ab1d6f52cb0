/// A digest that destinations use to name or to check bytes.
public enum DigestAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
    case sha256
    case sha1
    case md5
    /// Castagnoli's CRC-32 (RFC 3720, appendix B.4), big-endian.
    case crc32c

    /// Bytes in a digest.
    public var length: Int {
        switch self {
        case .sha256: 32
        case .sha1: 20
        case .md5: 16
        case .crc32c: 4
        }
    }
}

/// The digests known of one sequence of bytes.
public struct Digests: Sendable, Hashable {
    private var values: [DigestAlgorithm: [UInt8]]

    public init(_ values: [DigestAlgorithm: [UInt8]] = [:]) {
        self.values = values
    }

    /// The digest's bytes; `nil` where it was not computed.
    public subscript(algorithm: DigestAlgorithm) -> [UInt8]? {
        get { values[algorithm] }
        set { values[algorithm] = newValue }
    }

    /// Which digests are here.
    public var algorithms: Set<DigestAlgorithm> { Set(values.keys) }

    /// The digest in lower-case hexadecimal; `nil` where it was not computed.
    public func hexadecimal(_ algorithm: DigestAlgorithm) -> String? {
        values[algorithm].map(\.hexadecimal)
    }
}

extension [UInt8] {
    /// The bytes that pairs of hexadecimal digits are; `nil` for anything else.
    public init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension Sequence where Element == UInt8 {
    /// The bytes in lower-case hexadecimal.
    public var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(underestimatedCount * 2)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
