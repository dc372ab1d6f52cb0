internal import Logging
public import Submit
internal import SubmitStore

/// What somebody brings to a login that waits for it.
public struct LoginDelivery: Sendable {
    /// What they bring; it may hold secrets.
    public var answer: LoginAnswer
    /// Told once what came of it, unless the login ended for another reason first.
    public var reply: @Sendable (LoginReply) -> Void

    /// An answer for ``SubmitManager/login(at:as:within:answers:show:)``.
    public init(_ answer: LoginAnswer, reply: @escaping @Sendable (LoginReply) -> Void = { _ in }) {
        self.answer = answer
        self.reply = reply
    }
}

/// What comes of an answer.
public enum LoginReply: Sendable, Hashable {
    /// The login is done by it.
    case signedIn
    /// It is right so far, and the destination in trouble: it will be tried again.
    case trying
    /// It was no answer to this login, which waits for another one.
    case ignored(SubmitFailure)
    /// The login has failed by it.
    case failed(SubmitFailure)
}

extension SubmitManager {
    /// Signs in at a destination: shows the person what to do, and waits until it is done.
    ///
    /// A destination that cannot be reached or asks to slow down meanwhile is looked at again. Cancelling the task ends
    /// the wait at once, with `SubmitFailure.cancelled`. Nothing is kept of what comes of it.
    ///
    /// - Parameters:
    ///   - name: of a destination of this manager.
    ///   - client: with one of the facet's methods.
    ///   - limit: the longest wait; `nil`: as long as the destination waits.
    ///   - answers: what people and browsers bring, for the methods where they bring something. Where it ends before the
    ///     right one came, the login does.
    ///   - show: called once, with what the person has to do.
    /// - Throws: to give up with: `unknown-destination`, `no-login` where nobody can sign in, `login-timeout` when it is not
    ///   done in time, `login-unanswered` when the answers ended; what the destination says when it refuses.
    public func login(
        at name: String, as client: LoginClient, within limit: Duration? = nil,
        answers: AsyncStream<LoginDelivery>? = nil, show: (LoginPrompt) -> Void
    ) async throws(SubmitFailure) -> LoginGrant {
        try await withLogger(logger.doing("login", at: name)) { logger async throws(SubmitFailure) in
            let attempt = try await loginFacet(of: name).begin(client)
            let life = attempt.prompt.life
            let end = ContinuousClock.now + min(life, limit ?? life)
            let patience = min(life, limit ?? life).components.seconds
            logger.info("login waits", metadata: ["method": "\(client.method)", "seconds": "\(patience)"])
            show(attempt.prompt)
            let wait = LoginWait(name: name, attempt: attempt, end: end)
            var grant =
                switch client.method {
                case .page, .device, .client: try await wait.looking()
                case .browser, .paste, .typed: try await wait.listening(to: answers ?? AsyncStream { $0.finish() })
                }
            // The service says who somebody is.
            grant.account = KnownSecrets.redacted(grant.account)
            grant.notices = grant.notices.map(KnownSecrets.redacted)
            return grant
        }
    }

    /// Makes the credentials of a destination worthless there; see `LoginFacet.revoke()`.
    ///
    /// - Throws: as ``loginFacet(of:)``; what the destination says, or why it cannot be reached.
    public func revokeLogin(at name: String) async throws(SubmitFailure) -> Revocation {
        try await withLogger(logger.doing("logout", at: name)) { _ async throws(SubmitFailure) in
            try await loginFacet(of: name).revoke()
        }
    }

    /// Asks a destination whose credentials those in use are; see `LoginFacet.whoami()`.
    ///
    /// - Throws: as ``loginFacet(of:)``; the remedy `renewCredentials` when it refuses them or there are none; why it cannot be
    ///   reached.
    public func whoami(at name: String) async throws(SubmitFailure) -> LoginAccount? {
        try await withLogger(logger.doing("whoami", at: name)) { _ async throws(SubmitFailure) in
            try await loginFacet(of: name).whoami()?.withoutSecrets
        }
    }

    /// Lets a destination that waits for credentials go on: someone has signed in.
    ///
    /// - Returns: whether it waited for them.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    @discardableResult
    public func credentialsRenewed(at name: String) async throws(SubmitFailure) -> Bool {
        guard let hold = try await store.state(of: name).hold, hold.reason == nil else { return false }
        try await store.endHold(name)
        logger.info("destination released", metadata: ["destination": .string(name), "reason": "somebody signed in"])
        dispatcher.wake()
        return true
    }

    /// How people sign in at a destination.
    ///
    /// - Throws: to give up with: `unknown-destination`, and `no-login` where nobody can sign in.
    public func loginFacet(of name: String) throws(SubmitFailure) -> any LoginFacet {
        if let facet = try destination(named: name).submitter.facets.login { return facet }
        throw SubmitFailure(
            .giveUp, code: "no-login", message: "Nobody can sign in at “\(name)”: its credentials are settings.")
    }
}
