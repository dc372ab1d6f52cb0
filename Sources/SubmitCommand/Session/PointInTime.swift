internal import ArgumentParser
internal import Foundation
internal import Submit

/// A time as people type it: a span before now (`12h`, `7d`), or a date of the place one is at (`2026-11-01`,
/// `2026-11-01T18:30`).
struct PointInTime: ExpressibleByArgument {
    let time: Timestamp

    init?(argument: String) {
        if let span = TimeSpan(argument: argument) {
            time = Timestamp.now.advanced(by: .seconds(-span.seconds))
            return
        }
        let whole = ["", ":00", "T00:00:00"].lazy.compactMap { CaptureTime(argument + $0) }.first
        guard let whole else { return nil }
        // Days begin where the calendar of this place says.
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (
            CInt(whole.year - 1900), CInt(whole.month - 1), CInt(whole.day)
        )
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (CInt(whole.hour), CInt(whole.minute), CInt(whole.second))
        fields.tm_isdst = -1
        let seconds = Int64(mktime(&fields))
        let (nanoseconds, isBeyond) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if seconds == -1 || isBeyond { return nil }
        time = Timestamp(nanoseconds: nanoseconds)
    }
}
