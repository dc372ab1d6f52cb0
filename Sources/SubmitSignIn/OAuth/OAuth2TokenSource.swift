public import Submit
internal import SubmitConcurrency
public import SubmitHTTP

/// Keeps an account's tokens good: hands them out, and has new ones in time and when they are refused.
///
/// However many ask, in this process and in others that share the `SecretStore`, one refresh runs for them all; what
/// another process had meanwhile is taken. New tokens are handed out when they are durable, and not before: a service
/// that replaces refresh tokens takes the old one never again.
///
/// A refresh is not broken off when the task that needs it is cancelled.
public final class OAuth2TokenSource: Sendable {
    private let destination: String
    private let service: OAuth2Service
    private let client: OAuthClient?
    private let store: any SecretStore
    private let transport: any HTTPTransport
    private let isOwnAccount: Bool
    private let now: @Sendable () -> Timestamp
    private let renewing = SingleFlight<Result<OAuth2Tokens, SubmitFailure>>(.never)
    private let memory = Locked(Memory())

    private struct Memory {
        /// As they were read or had last.
        var tokens: OAuth2Tokens?
        /// The service does not take it: it need not be asked again.
        var deadRefresh: String?
        /// New tokens that could not be kept yet, and the access token that they replace.
        var unkept: (replaced: String?, tokens: OAuth2Tokens)?
    }

    /// - Parameters:
    ///   - destination: its name, for sentences.
    ///   - client: the configured one; one that was registered at login and kept is taken before it.
    ///   - isOwnAccount: tokens are had for the application itself, by client credentials, so that nobody need sign in.
    ///   - transport: it must not follow redirects.
    public init(
        destination: String, service: OAuth2Service, client: OAuthClient?, store: any SecretStore,
        isOwnAccount: Bool = false, transport: any HTTPTransport, now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.destination = destination
        self.service = service
        self.client = client
        self.store = store
        self.isOwnAccount = isOwnAccount
        self.transport = transport
        self.now = now
    }

    /// Tokens that are good as far as can be known.
    ///
    /// - Parameter bytes: how much is about to be sent with them, so that they do not end on the way.
    /// - Throws: `Remedy.renewCredentials` when nobody has signed in, or the service takes the refresh token no
    ///   longer; a failure to put on hold with when no new ones can be had now; `SubmitFailure.cancelled`.
    public func tokens(sending bytes: Int64 = 0) async throws(SubmitFailure) -> OAuth2Tokens {
        if Task.isCancelled { throw .cancelled }
        let time = now()
        if let known = memory.withLock({ $0.tokens }), !known.isNearEnd(at: time, sending: bytes) { return known }
        let kept = OAuth2Tokens(try await store.read())
        guard let kept else {
            guard isOwnAccount else { throw needsLogin }
            return try await renewed(after: nil)
        }
        guard kept.isNearEnd(at: time, sending: bytes), kept.refresh != nil || isOwnAccount else {
            memory.withLock { $0.tokens = kept }
            return kept
        }
        do throws(SubmitFailure) {
            return try await renewed(after: kept)
        } catch {
            // It need not have been now.
            guard error != .cancelled, let expires = kept.expires, now() < expires else { throw error }
            return kept
        }
    }

    /// New tokens in place of those that the service refused.
    ///
    /// - Returns: `nil` where there is no way to have new ones.
    /// - Throws: as ``tokens(sending:)`` does.
    public func tokens(insteadOf refused: OAuth2Tokens) async throws(SubmitFailure) -> OAuth2Tokens? {
        if let known = memory.withLock({ $0.tokens }), known.access != refused.access { return known }
        let kept = OAuth2Tokens(try await store.read())
        if let kept, kept.access != refused.access, !isOver(kept) {
            memory.withLock { $0.tokens = kept }
            return kept
        }
        guard kept?.refresh != nil || isOwnAccount else {
            memory.withLock { $0.tokens = nil }
            return nil
        }
        return try await renewed(after: refused)
    }

    private func renewed(after stale: OAuth2Tokens?) async throws(SubmitFailure) -> OAuth2Tokens {
        var tokens: OAuth2Tokens?
        // What others were waiting for already may be the very tokens that are stale now.
        for _ in 0..<2 {
            let outcome = await renewing.outcome {
                do throws(SubmitFailure) {
                    return .success(try await self.renew(stale))
                } catch {
                    return .failure(error)
                }
            }
            guard let outcome else { throw .cancelled }
            tokens = try outcome.get()
            if tokens?.access != stale?.access { break }
        }
        guard let tokens else { throw needsLogin }
        return tokens
    }

    private func renew(_ stale: OAuth2Tokens?) async throws(SubmitFailure) -> OAuth2Tokens {
        let tokens = try await store.exclusively { secrets throws(SubmitFailure) in
            let kept = OAuth2Tokens(secrets)
            if let kept, kept.access != stale?.access, !self.isOver(kept) { return kept }
            if let unkept = self.memory.withLock({ $0.unkept }), unkept.replaced == kept?.access {
                unkept.tokens.write(to: &secrets)
                return unkept.tokens
            }
            var new = try await self.ask(kept, client: OAuthClient(secrets) ?? self.client)
            new.scopes = new.scopes ?? kept?.scopes
            self.memory.withLock { [new] in $0.unkept = (kept?.access, new) }
            new.write(to: &secrets)
            return new
        }
        memory.withLock { memory in
            memory.unkept = nil
            memory.tokens = tokens
        }
        return tokens
    }

    private func ask(_ kept: OAuth2Tokens?, client: OAuthClient?) async throws(SubmitFailure) -> OAuth2Tokens {
        guard let client else { throw needsLogin }
        let exchange = OAuth2Exchange(service, client: client, transport: transport, now: now)
        do throws(OAuthFault) {
            guard let refresh = kept?.refresh else {
                guard isOwnAccount else { throw .refused(code: "invalid_grant", explanation: "") }
                return try await exchange.tokensOfClient().tokens
            }
            if memory.withLock({ $0.deadRefresh }) == refresh { throw .refused(code: "invalid_grant", explanation: "") }
            do throws(OAuthFault) {
                return try await exchange.tokens(refreshing: refresh).tokens
            } catch {
                guard case .refused("invalid_grant", _) = error else { throw error }
                memory.withLock { memory in
                    memory.deadRefresh = refresh
                    memory.tokens = nil
                }
                guard isOwnAccount else { throw error }
                return try await exchange.tokensOfClient().tokens
            }
        } catch {
            throw error.submitFailure(
                destination: destination, host: Endpoint(originOf: service.tokenURL)?.authority ?? destination)
        }
    }

    func isOver(_ tokens: OAuth2Tokens) -> Bool { tokens.expires.map { $0 <= now() } ?? false }

    private var needsLogin: SubmitFailure { .needsLogin(destination) }
}

extension OAuth2TokenSource: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["destination": destination]) }
}

extension SubmitFailure {
    /// Nobody has signed in at a destination.
    public static func needsLogin(_ destination: String) -> SubmitFailure {
        SubmitFailure(
            .renewCredentials, code: "needs-login",
            message: "Nobody is signed in at “\(destination)”: sign in.")
    }
}
