/// What a cancel did.
public struct Cancellation: Sendable, Hashable {
    /// Cancelled at once.
    public var cancelled: [SubmissionID]
    /// Being sent by a living process, which has been told.
    public var told: [SubmissionID]
    /// Of ``cancelled`` those that were tried before, so that something may be left at their destination.
    public var tried: [SubmissionID]
    /// How many sources that were to be removed stay.
    public var keptSources = 0
    /// How many acceptances were ended before all that was asked for was accepted; whoever is at one stops.
    public var endedAcceptances = 0

    package init(
        cancelled: [SubmissionID], told: [SubmissionID], tried: [SubmissionID], keptSources: Int = 0,
        endedAcceptances: Int = 0
    ) {
        self.cancelled = cancelled
        self.told = told
        self.tried = tried
        self.keptSources = keptSources
        self.endedAcceptances = endedAcceptances
    }
}
