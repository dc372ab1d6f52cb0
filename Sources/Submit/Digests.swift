/// A digest that destinations use to name or to check bytes.
public enum DigestAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
    /// SHA-256 (FIPS 180-4): the identity of every item.
    case sha256
    /// SHA-1 (FIPS 180-4).
    case sha1
    /// MD5 (RFC 1321).
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

    /// - Parameter values: raw bytes, each as many as ``DigestAlgorithm/length`` says.
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
        values[algorithm].map { Hexadecimal.text(of: $0) }
    }
}
