internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitXML

/// Locks (RFC 4918, sections 6, 7, 9.10 and 9.11): those of others, and those that a server demands of us.
extension DAVServer {
    /// What is locked, and how.
    struct LockScope: Sendable {
        var path: DAVPath
        /// All that is in the collection, too.
        var isDeep = false
        /// Who locks, for whoever meets the lock and for us when we find one that we have lost.
        var owner: String
        /// Seconds.
        var life: Int64
    }

    /// Takes a step that changes something. Where the server lets nobody do so without a lock, it is locked meanwhile.
    ///
    /// The lock is let go of however the step ends, also when the task is cancelled.
    ///
    /// - Throws: the step's failure; that of code `locked` names the one whose lock it is.
    func locking<Value: Sendable>(
        _ scope: LockScope, about name: String?, _ step: () async throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        if !held.areDemanded {
            do throws(SubmitFailure) {
                return try await step()
            } catch {
                guard error.code == Self.lockRequired, try await isFree(scope, about: name) else { throw error }
            }
        }
        let turn = (scope.isDeep ? scope.path : scope.path.parent ?? .root).encoded
        guard await held.turns.acquire(turn) else { throw .cancelled }
        defer { held.turns.release(turn) }
        guard let lock = try await lock(scope, about: name) else {
            // It demanded locks once, and has none any more.
            held.areDemanded = false
            return try await step()
        }
        let result: Result<Value, SubmitFailure>
        do throws(SubmitFailure) {
            result = .success(try await step())
            held.areDemanded = true
        } catch {
            result = .failure(error)
        }
        // A task that was cancelled sends nothing more; another can.
        await Task { await unlock(lock) }.value
        return try result.get()
    }

    /// The code of a failure which a lock of ours would mend, if no one else has one.
    static let lockRequired = "lock-required"

    private func isFree(_ scope: LockScope, about name: String?) async throws(SubmitFailure) -> Bool {
        try await locks(on: scope.path, about: name).allSatisfy { $0.owner == scope.owner }
    }

    /// The locks on something, or on the collection that it is or would be in.
    func locks(on path: DAVPath, about name: String?) async throws(SubmitFailure) -> [DAVLock] {
        for path in [path, path.parent].compactMap({ $0 }) {
            let locks = try await properties(path, [.dav("lockdiscovery")], about: name)?.locks ?? []
            if !locks.isEmpty { return locks }
        }
        return []
    }

    /// - Returns: `nil` where the server has no locks.
    private func lock(_ scope: LockScope, about name: String?) async throws(SubmitFailure) -> HeldLocks.Lock? {
        let answer = try await send(
            DAVRequest(
                "LOCK", scope.path.encoded,
                headers: [
                    ("Depth", scope.isDeep ? "infinity" : "0"), ("Timeout", "Second-\(scope.life)"),
                    ("Content-Type", "application/xml; charset=utf-8"),
                ], body: .bytes(LockBody(owner: scope.owner).bytes), file: name))
        if answer.status == 200 || answer.status == 201 {
            let granted = DAVLock.granted(answer.body)?.first { $0.owner == nil || $0.owner == scope.owner }
            if let token = answer["Lock-Token"].map(Self.bare) ?? granted?.token {
                return hold(token, scope, seconds: granted?.timeout)
            }
        }
        if answer.status == 405 || answer.status == 501 { return nil }
        // An attempt that was killed may have left its lock there.
        if answer.status == 423,
            let own = try await locks(on: scope.path, about: name).first(where: { $0.owner == scope.owner }),
            let token = own.token
        {
            return hold(token, scope, seconds: own.timeout)
        }
        throw failure(answer, at: scope.path.description, file: name)
    }

    private func hold(_ token: String, _ scope: LockScope, seconds: Int?) -> HeldLocks.Lock {
        let lock = HeldLocks.Lock(
            path: scope.path, token: token, isDeep: scope.isDeep, refresh: refreshTime(seconds))
        held.add(lock)
        return lock
    }

    /// When half of a lock's life is over.
    private func refreshTime(_ seconds: Int?) -> Timestamp? {
        seconds.map { Timestamp(nanoseconds: time.nanoseconds &+ Int64($0.clamped(to: 0...(1 << 30))) * 500_000_000) }
    }

    /// Header and state are of one resource: a `Lock-Token` has angle brackets, and `lockdiscovery` has not.
    private static func bare(_ token: String) -> String {
        token.hasPrefix("<") && token.hasSuffix(">") ? String(token.dropFirst().dropLast()) : token
    }

    /// Lets go of a lock. One that is no longer there, or cannot be let go of, ends by itself; until then it is in the way of
    /// all others, so that it is asked again.
    private func unlock(_ lock: HeldLocks.Lock) async {
        held.remove(lock.token)
        for _ in 0..<3 {
            let answer = try? await answer(
                DAVRequest("UNLOCK", lock.path.encoded, headers: [("Lock-Token", "<\(lock.token)>")]))
            if let answer, answer.isSuccess || [404, 409, 410, 412].contains(answer.status) { return }
        }
    }

    /// The header that shows the locks on what a request changes, refreshed where they are old (RFC 4918, sections 9.10.2
    /// and 10.4).
    func lockCondition(for request: DAVRequest) async -> String? {
        let locks = held.covering(request)
        for lock in locks where lock.refresh.map({ $0.nanoseconds <= time.nanoseconds }) ?? false {
            let answer = try? await answer(
                DAVRequest(
                    "LOCK", lock.path.encoded,
                    headers: [("If", "(<\(lock.token)>)"), ("Timeout", "Second-\(Self.shortestLife)")]))
            // What is lost is found out by the request itself.
            guard let answer, answer.status == 200 else { continue }
            var renewed = lock
            renewed.refresh = refreshTime(DAVLock.granted(answer.body)?.first { $0.token == lock.token }?.timeout)
            held.add(renewed)
        }
        return locks.isEmpty ? nil : locks.map { "<\(url($0.path.encoded))> (<\($0.token)>)" }.joined(separator: " ")
    }

    /// Seconds. It ends by itself when this process is killed.
    static let shortestLife: Int64 = 600
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}
