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
