public import Submit

/// What the journal knows of a destination: whether anything may go out to it now.
public struct DestinationState: Sendable, Hashable {
    /// What `--to` calls it.
    public var name: String
    /// Someone paused it.
    public var isPaused = false
    /// Why nothing goes out; `nil` when it is not on hold.
    public var hold: Hold?

    /// A destination that waits for something.
    public struct Hold: Sendable, Hashable {
        /// `nil` where it waits for new credentials.
        public var reason: HoldReason?
        /// When to look again; `nil`: when someone acts.
        public var until: Timestamp?
        /// How often in a row it has been found unusable.
        public var count: Int
        /// The code of the failure by which it was found out.
        public var code: String
        /// That failure's sentence.
        public var message: String

        package init(reason: HoldReason?, until: Timestamp?, count: Int, code: String, message: String) {
            self.reason = reason
            self.until = until
            self.count = count
            self.code = code
            self.message = message
        }

        /// Time mends nothing: it is looked at again when someone asks for it.
        public var waitsForSomeone: Bool { reason == nil || reason == .misconfigured }
    }

    package init(name: String, isPaused: Bool = false, hold: Hold? = nil) {
        self.name = name
        self.isPaused = isPaused
        self.hold = hold
    }
}
