public import Submit
public import SubmitEngine
internal import SubmitJournal

extension DestinationCatalog {
    /// Signs in at a destination: shows the person what to do, waits until it is done, keeps the secrets where those of
    /// this catalogue are, and lets what is waiting for the destination go on.
    ///
    /// The settings that come with the secrets, such as the user, are written into the configuration, unless the program
    /// added the destination: then they are the grant's to remember. `SubmitManager.loginFacet(of:)` says in which ways
    /// people can sign in, and where to listen for a browser; opening, listening and asking are the caller's.
    ///
    /// ```swift
    /// let grant = try await catalog.login(at: "cloud", of: manager, as: LoginClient(name: "albums on harbour")) { prompt in
    ///     print("Open \(prompt.url ?? "nothing") within \(prompt.life).")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: of a destination of this catalogue.
    ///   - manager: gets the destination, also in place of the one of this name.
    ///   - client: with one of the facet's methods.
    ///   - limit: the longest wait; `nil`: as long as the destination waits.
    ///   - answers: what people and browsers bring, for the methods where they bring something. Where it ends before the
    ///     right one came, the login does.
    ///   - show: called once, with what the person has to do.
    /// - Returns: who has signed in, and what is kept.
    /// - Throws: a failure to give up with, before anyone is asked: `no-login` where nobody can sign in, with where
    ///   credentials are set; `environment` and `configuration` where something else would be used instead of what a login
    ///   gives. When it is not done in time or refused, what the destination says. When what came cannot be kept, with why,
    ///   and then it is worthless. `SubmitFailure.cancelled`, at once, when the task is cancelled while it waits.
    public func login(
        at name: String, of manager: SubmitManager, as client: LoginClient, within limit: Duration? = nil,
        answers: AsyncStream<LoginDelivery>? = nil, show: (LoginPrompt) -> Void
    ) async throws(SubmitFailure) -> LoginGrant {
        let keeper = try LoginStore(name, self)
        try keeper.checkUse()
        let grant = try await keeper.login(of: manager, as: client, within: limit, answers: answers, show: show)
        manager.add(try keeper.destination(with: grant))
        try await manager.credentialsRenewed(at: keeper.name)
        return grant
    }
}
