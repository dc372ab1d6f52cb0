public import Submit

/// Signing in by typing what the destination gave elsewhere: an app password, an API key.
public struct TypedLogin: LoginFacet {
    private let destination: String
    private let fields: [LoginField]
    private let check: @Sendable ([String: String]) async throws(SubmitFailure) -> LoginGrant
    private let account: (@Sendable () async throws(SubmitFailure) -> LoginAccount?)?
    private let revocation: (@Sendable () async throws(SubmitFailure) -> Revocation)?

    /// - Parameters:
    ///   - destination: its name, for sentences.
    ///   - fields: what is to be typed.
    ///   - check: asks the destination whose the typed texts are, and what of them is kept where: those of fields that
    ///     are secret belong among the grant's secrets, the others among its settings.
    public init(
        destination: String, fields: [LoginField],
        whoami: (@Sendable () async throws(SubmitFailure) -> LoginAccount?)? = nil,
        revoke: (@Sendable () async throws(SubmitFailure) -> Revocation)? = nil,
        check: @escaping @Sendable ([String: String]) async throws(SubmitFailure) -> LoginGrant
    ) {
        self.destination = destination
        self.fields = fields
        self.check = check
        account = whoami
        revocation = revoke
    }

    public var secrets: Set<String> { Set(fields.filter(\.isSecret).map(\.name)) }

    public var methods: [LoginMethod] { [.typed] }

    public func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt {
        guard client.method == .typed else {
            throw SubmitFailure(
                .giveUp, code: "no-method",
                message: "“\(destination)” has no login by “\(client.method.rawValue)”: its secrets are typed.")
        }
        return Attempt(
            prompt: LoginPrompt(.fill(fields), life: OAuth2Login.patience), destination: destination, check: check)
    }

    public func whoami() async throws(SubmitFailure) -> LoginAccount? {
        guard let account else { return nil }
        return try await account()
    }

    public func revoke() async throws(SubmitFailure) -> Revocation {
        if let revocation { return try await revocation() }
        return .impossible(
            "“\(destination)” has no way to revoke what was typed from here: remove it in your account's settings there."
        )
    }

    private struct Attempt: LoginAttempt {
        let prompt: LoginPrompt
        let destination: String
        let check: @Sendable ([String: String]) async throws(SubmitFailure) -> LoginGrant

        func poll() async throws(SubmitFailure) -> LoginProgress { .pending(after: .seconds(1)) }

        /// What is refused can be typed again.
        func answer(_ answer: LoginAnswer) async throws(SubmitFailure) -> LoginProgress {
            guard case .typed(let texts) = answer, case .fill(let fields) = prompt.task,
                fields.allSatisfy({ !(texts[$0.name] ?? "").isEmpty })
            else {
                throw again("Something is missing")
            }
            for field in fields where field.isSecret { texts[field.name].map { KnownSecrets.add($0) } }
            guard texts.values.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }) else {
                throw again("What was typed has characters in it that nobody types")
            }
            do throws(SubmitFailure) {
                return .done(try await check(texts))
            } catch {
                guard error.remedy == .renewCredentials else { throw error }
                throw again("“\(destination)” does not take it")
            }
        }

        private func again(_ what: String) -> SubmitFailure {
            SubmitFailure(
                .retry(after: nil), code: "login-answer",
                message: "\(what): type it again to sign in at “\(destination)”.")
        }
    }
}

extension TypedLogin: CustomStringConvertible, CustomReflectable {
    public var description: String { "login at \(destination)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
