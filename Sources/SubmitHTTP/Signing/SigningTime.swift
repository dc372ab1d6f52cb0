internal import Submit

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
        let (year, month, dayOfMonth) = Timestamp.date(days: day)
        text = String(unsafeUninitializedCapacity: 16) { buffer in
            func write(_ number: some BinaryInteger, _ digits: Int, at start: Int) {
                var rest = number
                for place in (start..<start + digits).reversed() {
                    buffer[place] = UInt8(48 + rest % 10)
                    rest /= 10
                }
            }
            write(year, 4, at: 0)
            write(month, 2, at: 4)
            write(dayOfMonth, 2, at: 6)
            buffer[8] = UInt8(ascii: "T")
            write(second / 3600, 2, at: 9)
            write(second / 60 % 60, 2, at: 11)
            write(second % 60, 2, at: 13)
            buffer[15] = UInt8(ascii: "Z")
            return 16
        }
    }
}
