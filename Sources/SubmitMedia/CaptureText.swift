internal import Submit
internal import SubmitPlatform

/// Dates as metadata writes them.
enum CaptureText {
    /// Reads `2024:05:17 18:42:07` (EXIF) and `2024-05-17T18:42:07.25+02:00`, also without seconds (XMP, ISO 8601).
    ///
    /// - Parameter offset: the offset from UTC as a text of its own, such as `+02:00`.
    /// - Returns: `nil` unless it is a real date and time between the years 1826, that of the first photograph, and 2100.
    static func time(_ text: String, offset: String? = nil) -> CaptureTime? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, digits: 4), skip(&rest, "-:/."), let month = number(&rest, digits: 2),
            skip(&rest, "-:/."), let day = number(&rest, digits: 2), skip(&rest, "T "),
            let hour = number(&rest, digits: 2), skip(&rest, ":"), let minute = number(&rest, digits: 2),
            (1826...2100).contains(year)
        else { return nil }
        var second = 0
        if skip(&rest, ":") {
            guard let value = number(&rest, digits: 2) else { return nil }
            second = value
            if skip(&rest, ".,") { rest = rest.drop { (48...57).contains($0) } }
        }
        let seconds = Self.offset(rest) ?? offset.flatMap { Self.offset(Array($0.utf8)[...]) }
        return CaptureTime(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, offset: seconds)
    }

    /// The time that a camera's clock showed, from the seconds that this clock counted since 1970.
    static func time(cameraSeconds: Int64) -> CaptureTime? {
        var (seconds, fields) = (time_t(cameraSeconds), tm())
        guard gmtime_r(&seconds, &fields) != nil else { return nil }
        return CaptureTime(
            year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
            hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec))
    }

    /// Reads `20240517 184207+0200` (IPTC, ISO 8601's basic form), also without an offset.
    static func time(_ text: String, isCompact: Bool) -> CaptureTime? {
        let text = Array(text.utf8)
        guard isCompact, text.count >= 15, text[8] == UInt8(ascii: " ") else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: text[range], as: UTF8.self) }
        let clock = "\(part(9..<11)):\(part(11..<13)):\(part(13..<15))\(part(15..<text.count))"
        return time("\(part(0..<4))-\(part(4..<6))-\(part(6..<8)) \(clock)")
    }

    /// Reads a date without a time, `2024-05-17` or `2024:05:17`, as midnight of that day.
    static func day(_ text: String) -> CaptureTime? { text.utf8.count == 10 ? time(text + " 00:00:00") : nil }

    /// Reads a date whose month has a name: `Sun Aug 31 12:15:22 2003` (C's `asctime`) and
    /// `Mon, 21 Jun 2004 10:11:12 +0200` (RFC 1123).
    static func timeWithNamedMonth(_ text: String) -> CaptureTime? {
        let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        let words = text.split { " ,\n\0".contains($0) }.prefix(8).map(String.init)
        func month(_ word: String) -> Int? { months.firstIndex(of: word.prefix(3).uppercased()).map { $0 + 1 } }
        guard let clock = words.first(where: { $0.contains(":") })?.split(separator: ":").map({ Int($0) }),
            (2...3).contains(clock.count), let hour = clock[0], let minute = clock[1],
            let month = words.lazy.compactMap(month).first,
            let year = words.lazy.filter({ $0.utf8.count == 4 }).compactMap({ Int($0) }).first(
                where: (1826...2100).contains),
            let day = words.lazy.filter({ $0.utf8.count <= 2 }).compactMap({ Int($0) }).first
        else { return nil }
        // RFC 5322, section 3.3: `-0000` says nothing of where that was.
        let zone = words.first { $0.hasPrefix("+") || $0.hasPrefix("-") && $0 != "-0000" }
        return CaptureTime(
            year: year, month: month, day: day, hour: hour, minute: minute,
            second: clock.count == 3 ? clock[2] ?? 0 : 0, offset: zone.flatMap { offset(Array($0.utf8)[...]) })
    }

    /// Seconds east of UTC: `Z`, `+02:00`, `+0200`, `+02`.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        var rest = text.drop { $0 == UInt8(ascii: " ") }
        if rest.starts(with: "Z".utf8) { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip(&rest, "+-"), let hours = number(&rest, digits: 2) else { return nil }
        _ = skip(&rest, ":")
        let minutes = number(&rest, digits: 2) ?? 0
        // What no place on earth has is no offset.
        guard minutes < 60, hours * 60 + minutes <= 18 * 60 else { return nil }
        return (hours * 60 + minutes) * (isWest ? -60 : 60)
    }

    private static func number(_ text: inout ArraySlice<UInt8>, digits: Int) -> Int? {
        let field = text.prefix(digits)
        guard field.count == digits, field.allSatisfy({ (48...57).contains($0) }) else { return nil }
        text = text.dropFirst(digits)
        return field.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func skip(_ text: inout ArraySlice<UInt8>, _ separators: String) -> Bool {
        guard let first = text.first, separators.utf8.contains(first) else { return false }
        text = text.dropFirst()
        return true
    }
}
