internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine

/// `submit logout`
struct Logout: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Make the credentials of a login worthless, and forget them.",
        discussion: "What is waiting for the destination waits until someone signs in again.")

    @Argument(help: "A destination.", completion: Completed.destination)
    var destination: String

    @Flag(help: "Forget them even when the destination cannot be asked; they stay good there.")
    var forget = false

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try Session()
        let keeper = try LoginStore(destination, session.catalog)
        let farewell = SignOut(keeper: keeper, session: session, forgetsAnyway: forget)
        do throws(SubmitFailure) {
            let outcome = try await farewell.signOut()
            json ? JSONOutput.print(outcome.object) : Output.line(Printable.line(outcome.sentence))
            for trouble in outcome.troubles where !json { Output.trouble(Printable.line(trouble)) }
        } catch {
            ErrorReport.tell(error, about: ["destination": keeper.name])
            throw ExitStatus.failed
        }
    }
}

/// Signing out.
struct SignOut {
    let keeper: LoginStore
    let session: Session
    let forgetsAnyway: Bool

    struct Outcome {
        let name: String
        var wasSignedIn = true
        var isRevoked = false
        var troubles: [String] = []

        var sentence: String {
            if !wasSignedIn { return "Nobody is signed in at \(name)." }
            return isRevoked
                ? "Signed out of \(name): the credentials are worthless there and forgotten here."
                : "The credentials of \(name) are forgotten here."
        }

        var object: [String: Any] {
            var object: [String: Any] = ["destination": name, "revoked": isRevoked, "forgotten": wasSignedIn]
            if !troubles.isEmpty { object["message"] = troubles.joined(separator: " ") }
            return object
        }
    }

    /// - Throws: when nothing was forgotten.
    func signOut() async throws(SubmitFailure) -> Outcome {
        session.manager.add(keeper.destination)
        var outcome = Outcome(name: keeper.name)
        guard try await keeper.isSignedIn() else {
            outcome.wasSignedIn = false
            return outcome
        }
        do throws(SubmitFailure) {
            switch try await session.manager.revokeLogin(at: keeper.name) {
            case .revoked: outcome.isRevoked = true
            case .impossible(let why): outcome.troubles.append(why)
            }
        } catch {
            guard forgetsAnyway else {
                throw SubmitFailure(
                    error.remedy, code: error.code,
                    message:
                        "\(error.message) Nothing was forgotten; `submit logout --forget \(keeper.name)` does it anyway."
                )
            }
            outcome.troubles.append(error.advised(at: keeper.name))
        }
        try await keeper.forget()
        if let variable = keeper.variables.first {
            outcome.troubles.append("\(variable) still holds credentials of \(keeper.name): unset it.")
        }
        return outcome
    }
}
