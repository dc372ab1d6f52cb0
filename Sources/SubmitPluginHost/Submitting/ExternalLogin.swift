internal import Submit
internal import SubmitPluginProtocol

/// Signing in by another program.
struct ExternalLogin: LoginFacet {
    let keeper: ProgramSupervisor

    var secrets: Set<String> { keeper.configured.loginSecrets }

    func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt {
        guard case .loginBegun(let prompt) = try await keeper.ask(known: .beginLogin(client: client.name)) else {
            throw .cancelled
        }
        return Attempt(prompt: prompt, keeper: keeper)
    }

    func revoke() async throws(SubmitFailure) -> Revocation {
        guard case .logout(let revocation) = try await keeper.ask(known: .logout) else { throw .cancelled }
        return revocation
    }

    private struct Attempt: LoginAttempt {
        let prompt: LoginPrompt
        let keeper: ProgramSupervisor

        func poll() async throws(SubmitFailure) -> LoginProgress {
            guard case .login(let progress) = try await keeper.ask(known: .pollLogin) else { throw .cancelled }
            // Who has signed in does it for a process that is told what came of it.
            if case .done = progress { keeper.conversation.letGo() }
            return progress
        }
    }
}
