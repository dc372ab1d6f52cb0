import Submit
import SubmitConcurrency
import SubmitStore
import SystemPackage

/// Two values on one state in turn: whatever is no value's own goes by either.
struct AlternatingStore: HandedOnStore {
    private let values: [any Store]
    private let turn = Locked(0)

    init(_ one: any Store, _ other: any Store) { values = [one, other] }

    private var next: any Store {
        values[
            turn.withLock { turn in
                defer { turn = 1 - turn }
                return turn
            }]
    }

    var identity: String { next.identity }
    var ownFiles: [FilePath] { next.ownFiles }
    var spool: FilePath { next.spool }
    var renditions: FilePath { next.renditions }
    var locks: FilePath { next.locks }
    var owner: String {
        get { next.owner }
        nonmutating set { for value in values { value.owner = newValue } }
    }

    func reading<Answer>(
        _ verb: (any Store) async throws(SubmitFailure) -> Answer
    ) async throws(SubmitFailure) -> Answer {
        try await verb(next)
    }

    func writing<Answer>(
        _ verb: (any Store) async throws(SubmitFailure) -> Answer
    ) async throws(SubmitFailure) -> Answer {
        try await verb(next)
    }

    func own<Answer>(
        _ verb: (any Store) async throws(SubmitFailure) -> Answer
    ) async throws(SubmitFailure) -> Answer {
        try await verb(values[0])
    }

    func makeWorker() async throws(SubmitFailure) -> any StoreWorker { try await values[0].makeWorker() }

    func mark() async throws(SubmitFailure) -> StoreMark { try await values[0].mark() }
}
