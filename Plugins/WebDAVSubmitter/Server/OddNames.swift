internal import Submit
internal import SubmitConcurrency

/// Which odd names a probe tries: not those at which the server was gone, more than once.
struct OddNames: Sendable {
    enum Kind: Int, Sendable, CaseIterable {
        /// Letters beyond ASCII.
        case letters
        /// Punctuation, and long names.
        case signs
    }

    /// How often the server was gone, by kind.
    private let breaks: Locked<[UInt8]>
    /// Once may be by chance.
    private static let most: UInt8 = 2

    /// - Parameter note: what an earlier probe kept.
    init(_ note: [UInt8]? = nil) {
        let count = Kind.allCases.count
        breaks = Locked(note?.count == count ? note ?? [] : Array(repeating: 0, count: count))
    }

    /// For the next probe; `nil` for nothing.
    var note: [UInt8]? { breaks.withLock { breaks in breaks.contains { $0 > 0 } ? breaks : nil } }

    func mayTry(_ kind: Kind) -> Bool { breaks.withLock { $0[kind.rawValue] < Self.most } }

    /// Whether the server was gone at these.
    func hasBroken(_ kind: Kind) -> Bool { breaks.withLock { $0[kind.rawValue] > 0 } }

    /// Counts a server that is gone meanwhile, and forgets what was counted when it is not.
    func trying<Result: Sendable>(
        _ kind: Kind, _ body: () async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        let result = try await counting(kind, body)
        breaks.withLock { $0[kind.rawValue] = 0 }
        return result
    }

    /// Counts a server that is gone meanwhile, and forgets nothing: it may die when a name is stored but not when it is removed.
    func counting<Result: Sendable>(
        _ kind: Kind, _ body: () async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        do throws(SubmitFailure) {
            return try await body()
        } catch {
            if ["broken", "cannot-connect", "stalled", "unavailable"].contains(error.code) {
                breaks.withLock { $0[kind.rawValue] += 1 }
            }
            throw error
        }
    }
}
