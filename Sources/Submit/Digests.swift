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
        values[algorithm].map(Hexadecimal.text(of:))
    }
}
