internal import Submit

/// The dates in IPTC's application record (IPTC-NAA Information Interchange Model 4.2, data sets 2:55 to 2:63).
struct IPTCDates {
    /// When the content was created, if the record has a date and a time.
    let created: CaptureTime?
    /// The day on which it was created, at midnight, if the record has no time.
    let createdDay: CaptureTime?
    /// When it was digitized.
    let digitized: CaptureTime?

    init(_ record: FileRegion) {
        let values = Self.values(of: record.bytes(Self.mostBytes))
        let day = values[55].flatMap { CaptureText.time($0 + " 000000", isCompact: true) }
        let time = values[55].flatMap { day in values[60].flatMap { CaptureText.time("\(day) \($0)", isCompact: true) }
        }
        // Programs that don't know the time write midnight.
        let isMidnight = time.map { $0.hour == 0 && $0.minute == 0 && $0.second == 0 } ?? true
        (created, createdDay) = isMidnight ? (nil, day) : (time, nil)
        digitized = values[62].flatMap { day in values[63].flatMap { CaptureText.time("\(day) \($0)", isCompact: true) }
        }
    }

    private static let mostBytes = 256 << 10

    /// The first value of each wanted data set of record 2.
    private static func values(of bytes: [UInt8]) -> [UInt8: String] {
        let list = bytes.span
        var values: [UInt8: String] = [:]
        var offset = 0
        while list.has([0x1c], at: offset), let record = list.number(at: offset + 1, width: 1),
            let dataSet = list.number(at: offset + 2, width: 1),
            // The highest bit announces a longer length, which no date has.
            let length = list.number(at: offset + 3, width: 2), length < 0x8000, Int(length) <= bytes.count - offset - 5
        {
            let value = bytes[offset + 5..<offset + 5 + Int(length)]
            if record == 2, [55, 60, 62, 63].contains(dataSet), values[UInt8(dataSet)] == nil, length <= 16 {
                values[UInt8(dataSet)] = String(decoding: value, as: UTF8.self)
            }
            offset += 5 + Int(length)
        }
        return values
    }
}
