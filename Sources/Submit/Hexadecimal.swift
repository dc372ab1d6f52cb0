/// Bytes as text in hexadecimal digits, and back.
public enum Hexadecimal {
    /// The bytes in lower-case digits, two each.
    public static func text(of bytes: some Sequence<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable { text(of: UnsafeRawBufferPointer($0)) } ?? text(of: Array(bytes))
    }

    /// The same.
    public static func text(of bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { text(of: $0) }
    }

    /// The same.
    public static func text(of bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digit(byte >> 4)
                text[2 * index + 1] = digit(byte & 15)
            }
            return bytes.count * 2
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// The bytes that pairs of digits are, in either case; `nil` for anything else.
    public static func bytes(of text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
