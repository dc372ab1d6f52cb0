/// Sizes as people write them: `64KiB`, `16MiB`, `1GiB`.
public enum SizeText {
    /// The number of bytes, up to 5 GiB; `nil` for what is no such size.
    public static func bytes(of text: some StringProtocol) -> Int64? {
        let units: [String: Int64] = ["KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30]
        guard let unit = units[String(text.suffix(3))],
            let number = Int64(String(text.dropLast(3).filter { $0 != " " })), (1...(5 << 30) / unit).contains(number)
        else { return nil }
        return number * unit
    }
}

extension SizeText {
    /// The number of bytes that somebody typed: `800`, `64k`, `2M`, `1.5G`, where K, M, G and T are powers of 1024 as
    /// with curl and rclone, and so are `KiB`, `MiB`; `kB` and `MB` are powers of 1000. `nil` for what is no such number.
    package static func typed(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), number >= 0, digits.first != "." else { return nil }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        let powers: [String: Double] = ["k": 1, "m": 2, "g": 3, "t": 4]
        let bytes: Double
        switch unit {
        case "", "b": bytes = number
        default:
            guard let first = unit.first, let power = powers[String(first)], ["", "b", "ib"].contains(unit.dropFirst())
            else { return nil }
            let base = unit.dropFirst() == "b" ? 1000.0 : 1024
            bytes = (0..<Int(power)).reduce(number) { size, _ in size * base }
        }
        return bytes < Double(Int64.max) ? Int64(bytes) : nil
    }
}
