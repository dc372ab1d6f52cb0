internal import SubmitStore

/// Where the connection broke in the middle of the bodies of submissions, as far as this process has seen.
struct BodyCuts: Sendable {
    private var offsets: [SubmissionID: [Int64]] = [:]

    /// A line that breaks by chance rarely does so at the same offset among so few attempts.
    private static let remembered = RetryPolicy.cuts
    /// How far apart two cuts at one limit may be in bytes. Buffers on the way hold some megabytes.
    private static let least: Int64 = 2 << 20

    /// Notes a cut.
    ///
    /// - Parameters:
    ///   - offset: bytes of the body that had been sent.
    ///   - wasAsked: the body had been announced and waited for the server's consent.
    /// - Returns: how many of the latest cuts, this one included, were at about the same offset.
    mutating func add(_ offset: Int64, of id: SubmissionID, wasAsked: Bool) -> Int {
        var known = offsets[id] ?? []
        // The server ended the connection when it heard how much would come.
        let offset = wasAsked && offset == 0 ? known.last ?? 0 : offset
        known = (known + [offset]).suffix(Self.remembered)
        offsets[id] = known
        return known.count { Self.isSame($0, offset) }
    }

    /// Whether the next attempt announces its body first.
    func asksFirst(_ id: SubmissionID) -> Bool {
        guard let known = offsets[id], let last = known.last else { return false }
        return known.count { Self.isSame($0, last) } > 1
    }

    /// Some of it arrived, or it has ended.
    mutating func forget(_ id: SubmissionID) { offsets[id] = nil }

    private static func isSame(_ one: Int64, _ other: Int64) -> Bool {
        abs(one - other) <= max(least, max(one, other) / 10)
    }
}
