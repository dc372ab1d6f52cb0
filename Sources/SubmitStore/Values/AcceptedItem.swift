/// What an acceptance made of an item.
package enum AcceptedItem: Sendable, Hashable {
    /// It is written down, with what is waiting of it in the given order.
    case accepted([SubmissionID])
    /// What was not known of it by then (``NewItem/isUnlessKnown``) is written down, with what is waiting by destination; and
    /// the submissions that made the rest needless.
    case acceptedUnlessKnown([String: SubmissionID], known: [KnownSource.Submission])
    /// Something was accepted under its key before, and nothing is written down.
    case known(KnownItem)
}
