public import Submit
public import SubmitJournal

extension SubmitManager {
    /// Signs in at a destination: shows the person what to do, and waits until it is done.
    ///
    /// A destination that cannot be reached or asks to slow down meanwhile is looked at again. Cancelling the task ends
    /// the wait at once, with ``SubmitFailure/cancelled``. Nothing is kept of what comes of it.
    ///
    /// - Parameters:
    ///   - limit: the longest wait; `nil`: as long as the destination waits.
    ///   - show: called once, with what the person has to do.
    /// - Throws: for an unknown destination, one where nobody can sign in, and when it is not done in time.
    public func login(
        at name: String, as client: LoginClient, within limit: Duration? = nil, show: (LoginPrompt) -> Void
    ) async throws(SubmitFailure) -> LoginGrant {
        let attempt = try await loginFacet(of: name).begin(client)
        let life = Duration.seconds(attempt.prompt.seconds)
        let end = ContinuousClock.now + min(life, limit ?? life)
        show(attempt.prompt)
        while true {
            let wait: Int64
            switch try await Self.look(at: attempt) {
            case .done(let grant): return grant
            case .pending(let milliseconds): wait = milliseconds
            }
            guard ContinuousClock.now < end else {
                throw SubmitFailure(
                    .giveUp, code: "login-timeout",
                    "Nobody signed in at “\(name)” in time, so that nothing has changed: `submit login` begins again.")
            }
            do {
                try await Task.sleep(until: min(end, .now + .milliseconds(wait)), clock: .continuous)
            } catch {
                throw .cancelled
            }
        }
    }

    /// Looks at a login once; where it may look different later, that is pending.
    private static func look(at attempt: any LoginAttempt) async throws(SubmitFailure) -> LoginProgress {
        do throws(SubmitFailure) {
            return try await attempt.poll()
        } catch {
            switch error.remedy {
            case .retry(let after), .park(.unreachable, let after), .park(.throttled, let after):
                return .pending(afterMilliseconds: after ?? patience)
            default: throw error
            }
        }
    }

    /// How long a destination in trouble is left alone during a login, in milliseconds.
    private static let patience: Int64 = 5000

    /// Makes the credentials of a destination worthless there; see ``LoginFacet/revoke()``.
    public func revokeLogin(at name: String) async throws(SubmitFailure) -> Revocation {
        try await loginFacet(of: name).revoke()
    }

    /// Lets a destination that waits for credentials go on: someone has signed in.
    ///
    /// - Returns: whether it waited for them.
    @discardableResult
    public func credentialsRenewed(at name: String) async throws(JournalFailure) -> Bool {
        guard let parking = try journal.state(of: name).parking, parking.reason == nil else { return false }
        try await journal.unpark(name)
        wakeRuns()
        return true
    }

    /// How people sign in at a destination.
    ///
    /// - Throws: for an unknown destination, and one where nobody can sign in.
    public func loginFacet(of name: String) throws(SubmitFailure) -> any LoginFacet {
        if let facet = try destination(named: name).submitter.facets.login { return facet }
        throw SubmitFailure(
            .giveUp, code: "no-login", "Nobody can sign in at “\(name)”: its credentials are settings.")
    }
}
