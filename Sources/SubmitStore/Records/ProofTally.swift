public import Submit

/// How much of some batches stands where at one destination, by what the items are and how sure of them it is.
public struct ProofTally: Sendable, Hashable {
    /// The destination's name.
    public let destination: String
    /// Where those that are counted stand.
    public let state: SubmissionState
    /// What the items are.
    public let kind: MediaKind
    /// How sure the destination is of its copies; `nil` unless they are done. Of what was skipped nothing was stored.
    public let evidence: Evidence?
    /// Other bytes have the name and were left alone, as was asked for.
    public let isSkipped: Bool
    /// What the destination gets of them is made of them, and no copy.
    public let isRendition: Bool
    /// Submissions, at least 1.
    public let count: Int
    /// Bytes of the items, or of the renditions that destinations got instead of them.
    public let bytes: Int64

    /// So many submissions of so many bytes.
    public init(
        destination: String, state: SubmissionState, kind: MediaKind, evidence: Evidence?, isSkipped: Bool = false,
        isRendition: Bool = false, count: Int, bytes: Int64
    ) {
        self.destination = destination
        self.state = state
        self.kind = kind
        self.evidence = evidence
        self.isSkipped = isSkipped
        self.isRendition = isRendition
        self.count = count
        self.bytes = bytes
    }
}
