/// Sizes as people write them: `800`, `64k`, `16MiB`, `1.5G`.
public enum SizeText {
    /// The number of bytes. K, M, G and T are powers of 1024, as with curl and rclone, and so are `KiB` and `MiB`; `kB` and `MB`
    /// are powers of 1000.
    ///
    /// - Returns: `nil` for anything else, and for a size outside of `range`.
    public static func bytes(of text: String, in range: ClosedRange<Int64> = 0...Int64.max) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), number >= 0, digits.first != "." else { return nil }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        let powers: [String: Double] = ["k": 1, "m": 2, "g": 3, "t": 4]
        var size = number
        if unit != "", unit != "b" {
            guard let first = unit.first, let power = powers[String(first)], ["", "b", "ib"].contains(unit.dropFirst())
            else { return nil }
            let base = unit.dropFirst() == "b" ? 1000.0 : 1024
            size = (0..<Int(power)).reduce(number) { size, _ in size * base }
        }
        return size < Double(Int64.max) && range.contains(Int64(size)) ? Int64(size) : nil
    }
}
