internal import Logging
internal import Submit

/// The wait for a login that was begun.
struct LoginWait: Sendable {
    let name: String
    let attempt: any LoginAttempt
    let end: ContinuousClock.Instant

    /// How long a destination in trouble is left alone.
    private static let patience = Duration.seconds(5)

    /// Looks until it is done.
    func looking() async throws(SubmitFailure) -> LoginGrant {
        while true {
            let wait: Duration
            switch try await look() {
            case .done(let grant): return grant
            case .pending(let after): wait = after
            }
            guard ContinuousClock.now < end else { throw late }
            try await sleep(wait)
        }
    }

    /// Looks once; where it may look different later, that is pending.
    private func look() async throws(SubmitFailure) -> LoginProgress {
        do throws(SubmitFailure) {
            return try await attempt.poll()
        } catch {
            Logger.current.debug("login fails for now", metadata: [:].adding(error))
            switch error.remedy {
            case .retry(let after), .tryAnother(let after), .hold(.unreachable, let after),
                .hold(.throttled, let after):
                return .pending(after: after ?? Self.patience)
            default: throw error
            }
        }
    }

    /// Takes answers until one is right.
    func listening(to answers: AsyncStream<LoginDelivery>) async throws(SubmitFailure) -> LoginGrant {
        let outcome = await withTaskGroup(of: Result<LoginGrant, SubmitFailure>.self) { group in
            group.addTask {
                await Result.of { () async throws(SubmitFailure) in
                    for await delivery in answers {
                        if let grant = try await take(delivery) { return grant }
                    }
                    throw Task.isCancelled ? .cancelled : unanswered
                }
            }
            group.addTask {
                do {
                    try await Task.sleep(until: end, clock: .continuous)
                    return .failure(late)
                } catch {
                    return .failure(.cancelled)
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled)
        }
        return try outcome.get()
    }

    /// - Returns: `nil` for what is no answer.
    private func take(_ delivery: LoginDelivery) async throws(SubmitFailure) -> LoginGrant? {
        var isTrying = false
        while true {
            do throws(SubmitFailure) {
                guard case .done(let grant) = try await attempt.answer(delivery.answer) else { return nil }
                if !isTrying { delivery.reply(.signedIn) }
                return grant
            } catch let thrown {
                let error = thrown.withoutSecrets
                switch error.remedy {
                case .retry, .tryAnother:
                    if !isTrying { delivery.reply(.ignored(error)) }
                    return nil
                case .hold(.unreachable, let after), .hold(.throttled, let after):
                    if !isTrying { delivery.reply(.trying) }
                    isTrying = true
                    try await sleep(after ?? Self.patience)
                default:
                    if !isTrying { delivery.reply(.failed(error)) }
                    throw error
                }
            }
        }
    }

    private func sleep(_ time: Duration) async throws(SubmitFailure) {
        Logger.current.debug("login waits", metadata: ["milliseconds": "\(time.milliseconds)"])
        do {
            try await Task.sleep(until: min(end, .now + time), clock: .continuous)
        } catch {
            throw .cancelled
        }
    }

    private var late: SubmitFailure {
        SubmitFailure(
            .giveUp, code: "login-timeout",
            message: "Nobody signed in at “\(name)” in time, so that nothing has changed: sign in again.")
    }

    private var unanswered: SubmitFailure {
        SubmitFailure(
            .giveUp, code: "login-unanswered",
            message: "The login at “\(name)” got no answer that was right, so that nothing has changed: sign in again.")
    }
}

extension Result where Failure == SubmitFailure {
    fileprivate static func of(_ body: () async throws(SubmitFailure) -> Success) async -> Self {
        do throws(SubmitFailure) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
