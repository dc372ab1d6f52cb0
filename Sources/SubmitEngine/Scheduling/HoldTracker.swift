/// What the feeder of a queue last saw of its destination's hold.
struct HoldTracker: Sendable {
    enum State {
        case none
        /// Nothing has been claimed since: what waits for its turn need not be tried.
        case onHold
        /// A submission is finding out whether it works again.
        case probing
    }

    var state = State.none
    /// It grows with each hold: one that came while more was being claimed counts for that, too.
    var count = 0
}
