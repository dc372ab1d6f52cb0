import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitStore
import SystemPackage
import TestServers
import Testing

/// A kind of store. Each promise of the suite is kept by each of them.
struct StoreMaker: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// See ``StorePlace/remembers``.
    private let forgets: Bool
    private let open: @Sendable (_ folder: TemporaryFolder, _ clock: TestClock) throws -> any Store

    /// A new state, which nobody else has.
    func place() -> StorePlace {
        let (folder, clock, open) = (TemporaryFolder(), TestClock(), open)
        return StorePlace(clock: clock, remembers: !forgets) {
            try open(folder, clock)
        }
    }

    static let journal = StoreMaker(testDescription: "journal", forgets: false, open: openJournal)

    static let all = [
        journal,
        StoreMaker(testDescription: "journal through two values in turn", forgets: false) { folder, clock in
            AlternatingStore(try openJournal(folder, clock), try openJournal(folder, clock))
        },
        StoreMaker(testDescription: "journal whose answers are lost", forgets: true) { folder, clock in
            ForgetfulStore(try openJournal(folder, clock))
        },
    ]

    private static let openJournal: @Sendable (TemporaryFolder, TestClock) throws -> any Store = { folder, clock in
        // The folder stays as long as any store in it.
        try Journal(path: FilePath(folder.path("state/journal.sqlite"))) { withExtendedLifetime(folder) { clock.now } }
    }
}

/// One store's state, for as long as anybody has this, or a store of it.
struct StorePlace: Sendable {
    /// The store's.
    let clock: TestClock
    /// Verbs tell what they did now, and claims in which order they were taken. Where answers are lost, who asks again hears what
    /// was left to do.
    let remembers: Bool
    /// One more value on the state, as another process would have one.
    let open: @Sendable () throws -> any Store
}

/// A clock that stands still unless it is moved.
final class TestClock: Sendable {
    private let time = Locked(Timestamp(nanoseconds: 1_700_000_000_000_000_000))

    var now: Timestamp { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
}
