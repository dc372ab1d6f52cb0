/// A point in time as Signature Version 4 writes it: `20130524T000000Z`.
public struct SigningTime: Sendable, Hashable {
    /// `YYYYMMDDTHHMMSSZ`
    public let text: String
    /// Days since 1970: what a signing key is good for.
    let day: Int64

    /// The date alone: `YYYYMMDD`.
    var date: Substring { text.prefix(8) }

    /// From seconds since 1970-01-01T00:00:00Z, of the years 1 to 9999.
    public init(secondsSince1970 seconds: Int64) {
        let second = ((seconds % 86400) + 86400) % 86400
        day = (seconds - second) / 86400
        // Days to a date of the Gregorian calendar, in eras of 400 years that begin on 1 March
        // (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let calendarMonth = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0)

        text = String(unsafeUninitializedCapacity: 16) { buffer in
            func write(_ number: Int64, _ digits: Int, at start: Int) {
                var rest = number
                for place in (start..<start + digits).reversed() {
                    buffer[place] = UInt8(48 + rest % 10)
                    rest /= 10
                }
            }
            write(year, 4, at: 0)
            write(calendarMonth, 2, at: 4)
            write(dayOfYear - (153 * month + 2) / 5 + 1, 2, at: 6)
            buffer[8] = UInt8(ascii: "T")
            write(second / 3600, 2, at: 9)
            write(second / 60 % 60, 2, at: 11)
            write(second % 60, 2, at: 13)
            buffer[15] = UInt8(ascii: "Z")
            return 16
        }
    }
}
