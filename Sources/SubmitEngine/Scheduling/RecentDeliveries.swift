/// What is known of whether anything arrived at a destination since something broke on the way there.
struct RecentDeliveries: Sendable {
    /// One of this run did since then.
    private var isOne = false
    /// How many of this run did, since it began: the journal may hear of them later.
    private var own: Int64 = 0
    /// How many others the journal had then.
    private var others: Int64

    /// - Parameter inJournal: how many had arrived before this run.
    init(inJournal: Int64 = 0) {
        others = inJournal
    }

    /// An item of this run did.
    mutating func add() {
        isOne = true
        own += 1
    }

    /// Something broke on the way.
    ///
    /// - Parameter inJournal: how many have arrived, whoever sent them.
    /// - Returns: whether anything had arrived since something broke before, or since the run began: then it was not the way.
    mutating func broke(inJournal: Int64) -> Bool {
        let others = max(self.others, inJournal - own)
        defer { (isOne, self.others) = (false, others) }
        return isOne || others > self.others
    }
}
