internal import Submit
internal import SubmitPlatform

/// Times as HTTP writes them (RFC 9110, 5.6.7), whatever the locale is.
enum WebDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func text(_ time: Timestamp) -> String {
        var seconds = time_t(time.seconds)
        var fields = tm()
        gmtime_r(&seconds, &fields)
        func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = "\(two(fields.tm_hour)):\(two(fields.tm_min)):\(two(fields.tm_sec))"
        let day = "\(days[Int(fields.tm_wday)]), \(two(fields.tm_mday)) \(months[Int(fields.tm_mon)])"
        return "\(day) \(fields.tm_year + 1900) \(clock) GMT"
    }
}
