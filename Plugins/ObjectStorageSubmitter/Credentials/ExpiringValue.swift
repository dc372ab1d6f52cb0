internal import Submit
internal import SubmitConcurrency

/// Something that is handed out for a time, such as temporary credentials or a token: kept, and fetched anew in time.
///
/// It is fetched when it is first asked for, when little of its time is left (five minutes, or a tenth of the time it
/// had when it came, whichever is less), and after it was refused. However many ask, one fetch runs for all of them.
///
/// A fetch that fails fails everyone who waits for it, and whoever asks next tries again; where the value before is
/// still good, they get that instead. Someone whose task is cancelled leaves at once, while the fetch goes on for the
/// others; when the last one leaves, the fetch is cancelled and what it brings is dropped.
final class ExpiringValue<Value: Sendable>: Sendable {
    /// A value and until when it is good; `nil` for until it is refused.
    typealias Lease = (value: Value, expires: Timestamp?)

    /// A value that was handed out. Nothing that prints it shows the value.
    struct Issued: Sendable {
        let value: Value
        let expires: Timestamp?
        /// Which of the values that were fetched it is.
        fileprivate let number: Int
    }

    private typealias Waiter = CheckedContinuation<Result<Issued, SubmitFailure>, Never>

    private struct Fetch {
        let number: Int
        let task: Task<Void, Never>
        var waiters: [Int: Waiter] = [:]
    }

    private struct State {
        /// The last value, unless it was refused.
        var issued: Issued?
        /// When a new one has to be fetched.
        var renewal: Timestamp?
        var fetch: Fetch?
        /// Of fetches and of waiters.
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let now: @Sendable () -> Timestamp
    private let lease: @Sendable () async throws(SubmitFailure) -> Lease
    private let state = Locked(State())

    /// - Parameter fetch: runs in a task of its own.
    init(
        now: @escaping @Sendable () -> Timestamp, fetch: @escaping @Sendable () async throws(SubmitFailure) -> Lease
    ) {
        self.now = now
        lease = fetch
    }

    /// The value as it is now, fetched if it has to be.
    ///
    /// - Throws: what the fetch threw; ``SubmitFailure/cancelled``, at once, when the task is cancelled meanwhile.
    func value() async throws(SubmitFailure) -> Issued {
        if Task.isCancelled { throw .cancelled }
        let number = state.withLock { $0.nextNumber() }
        let time = now()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if let issued = issued(at: time, orLater: waiter, number) { waiter.resume(returning: .success(issued)) }
                // The task may have been cancelled before there was a waiter to be told.
                if Task.isCancelled { leave(number) }
            }
        } onCancel: {
            leave(number)
        }
        return try result.get()
    }

    /// The server refused it: the next one who asks gets a new one. Says nothing about another one that was fetched
    /// meanwhile, so that many who were refused the same one make one fetch.
    func refuse(_ issued: Issued) {
        state.withLock { state in
            if state.issued?.number == issued.number { state.issued = nil }
        }
    }

    /// The value at hand; `nil` where the waiter will be told.
    private func issued(at time: Timestamp, orLater waiter: Waiter, _ number: Int) -> Issued? {
        state.withLock { state in
            if let issued = state.issued, state.renewal.map({ time < $0 }) ?? true { return issued }
            if state.fetch == nil {
                let fetch = state.nextNumber()
                state.fetch = Fetch(number: fetch, task: Task { await self.run(fetch) })
            }
            state.fetch?.waiters[number] = waiter
            return nil
        }
    }

    private func leave(_ number: Int) {
        let waiter: Waiter? = state.withLock { state in
            guard let waiter = state.fetch?.waiters.removeValue(forKey: number) else { return nil }
            if let fetch = state.fetch, fetch.waiters.isEmpty {
                fetch.task.cancel()
                state.fetch = nil
            }
            return waiter
        }
        waiter?.resume(returning: .failure(.cancelled))
    }

    private func run(_ number: Int) async {
        let outcome: Result<Lease, SubmitFailure>
        do throws(SubmitFailure) {
            outcome = .success(try await lease())
        } catch {
            outcome = .failure(error)
        }
        let time = now()
        let (waiters, result) = state.withLock { state -> ([Waiter], Result<Issued, SubmitFailure>) in
            guard let fetch = state.fetch, fetch.number == number else { return ([], .failure(.cancelled)) }
            state.fetch = nil
            let waiters = Array(fetch.waiters.values)
            switch outcome {
            case .success(let lease):
                let issued = Issued(value: lease.value, expires: lease.expires, number: number)
                state.issued = issued
                state.renewal = lease.expires.map { Self.renewal(of: $0, fetched: time) }
                return (waiters, .success(issued))
            case .failure(let failure):
                if let issued = state.issued, let expires = issued.expires, time < expires {
                    return (waiters, .success(issued))
                }
                return (waiters, .failure(failure))
            }
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }

    private static func renewal(of expires: Timestamp, fetched: Timestamp) -> Timestamp {
        let life = max(0, expires.nanoseconds - fetched.nanoseconds)
        return Timestamp(nanoseconds: expires.nanoseconds - min(life / 10, 300_000_000_000))
    }
}

extension ExpiringValue: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension ExpiringValue.Issued: CustomStringConvertible, CustomReflectable {
    var description: String { "issued" }

    var customMirror: Mirror { Mirror(self, children: ["expires": expires as Any]) }
}
