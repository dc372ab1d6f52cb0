public import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// What a server's clock says, learned from the `Date` of its answers where ours is refused.
public final class ServerClock: Sendable {
    private let now: @Sendable () -> Timestamp
    private let offset = Locked<Int64>(0)

    /// How far two clocks may be apart without anyone minding, in milliseconds.
    private static let tolerance: Int64 = 30_000

    /// A clock that agrees with ours until a server says otherwise.
    ///
    /// - Parameter now: ours.
    public init(now: @escaping @Sendable () -> Timestamp = { .now }) {
        self.now = now
    }

    /// The server's time, as far as it is known.
    public var time: Timestamp { now().advanced(by: .milliseconds(offset.withLock { $0 })) }

    /// Takes the time of a refusal over.
    ///
    /// - Parameter used: the time that was refused.
    /// - Returns: whether that was so far off that it may have been why.
    func correct(by answer: HTTPResponse, used: Timestamp) -> Bool {
        let ours = now()
        guard let date = answer["Date"].flatMap({ HTTPDate.parse($0, now: ours) }) else { return false }
        let (theirs, used) = (date.nanoseconds / 1_000_000, used.nanoseconds / 1_000_000)
        guard abs(theirs.subtractingReportingOverflow(used).partialValue) > Self.tolerance else { return false }
        offset.withLock { $0 = theirs - ours.nanoseconds / 1_000_000 }
        return true
    }
}
