/// When a picture was taken, as its camera's clock showed it.
///
/// Cameras often do not say where they were. What all of them know is what the clock showed, and that is what pictures are
/// ordered and chosen by: who asks for the pictures of an evening means the evening there.
public struct WallClockTime: Sendable, Hashable {
    /// Since 1970-01-01T00:00:00 on a clock that stands where the camera was.
    public var seconds: Int64
    /// Seconds east of UTC, where it is known.
    public var offset: Int?

    /// - Parameters:
    ///   - seconds: since 1970-01-01T00:00:00 on the clock there.
    ///   - offset: seconds east of UTC.
    public init(seconds: Int64, offset: Int? = nil) {
        self.seconds = seconds
        self.offset = offset
    }

    /// `nil` where there is no such day.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, offset: Int? = nil) {
        guard let date = CalendarDate(year: year, month: month, day: day) else { return nil }
        self.init(seconds: date.days * 86400 + Int64(hour * 3600 + minute * 60 + second), offset: offset)
    }
}
