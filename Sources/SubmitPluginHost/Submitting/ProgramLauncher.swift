internal import Submit
internal import SubmitPluginProtocol
internal import SystemPackage

/// Starts processes of one program, and brings them so far that they can be asked.
struct ProgramLauncher: Sendable {
    let program: ExternalProgram
    let surroundings: ProgramEnvironment

    /// Starts a process, or says that there are too many files open to do it. That it could not be started for another
    /// reason is said to whoever asks it first.
    func started() throws(SubmitFailure) -> Conversation {
        guard let (ours, theirs) = try? ProgramPipes.make() else {
            throw SubmitFailure(
                .retry(after: nil), code: "resources",
                message:
                    "“\(program.path)” could not be started: too many files are open, raise `ulimit -n`, or send less at once."
            )
        }
        let conversation = Conversation(program, surroundings, ours)
        conversation.start(environment: surroundings.given(to: program), theirs)
        return conversation
    }

    /// Makes a submitter for one destination, and holds the thread meanwhile.
    ///
    /// - Parameter waiting: a process that said what it is and was not configured.
    func makeSubmitter(
        _ settings: DestinationSettings, _ type: TypeDescription, _ waiting: Conversation?
    ) throws(SubmitFailure) -> any Submitter {
        let conversation = if let waiting { waiting } else { try started() }
        do throws(SubmitFailure) {
            if waiting == nil { try checkSame(conversation.greetBlocking(), type, settings) }
            let configured = try conversation.configureBlocking(settings)
            return ExternalSubmitter(ProgramSupervisor(self, type, settings, configured, conversation))
        } catch {
            conversation.letGo()
            throw error
        }
    }

    /// Makes a submitter for one destination, in a process of its own, and holds no thread meanwhile.
    func newSubmitter(_ settings: DestinationSettings) async throws(SubmitFailure) -> any Submitter {
        let conversation = try started()
        do throws(SubmitFailure) {
            let type = try await conversation.greet()
            let configured = try await conversation.configure(settings)
            return ExternalSubmitter(ProgramSupervisor(self, type, settings, configured, conversation))
        } catch {
            conversation.letGo()
            throw error
        }
    }

    /// Starts a process anew for a destination that has one already, or had.
    ///
    /// - Throws: a failure that puts the destination on hold as misconfigured when it is another program by now.
    func restart(
        _ settings: DestinationSettings, _ type: TypeDescription, _ configured: ConfiguredDescription
    ) async throws(SubmitFailure) -> Conversation {
        let conversation = try started()
        do throws(SubmitFailure) {
            try checkSame(await conversation.greet(), type, settings)
            try checkSame(await conversation.configure(settings), configured, settings)
            return conversation
        } catch {
            conversation.letGo()
            throw error
        }
    }

    private func checkSame<Description: Equatable>(
        _ description: Description, _ former: Description, _ settings: DestinationSettings
    ) throws(SubmitFailure) {
        guard description != former else { return }
        throw SubmitFailure(
            .hold(.misconfigured, after: nil), code: "submitter-unusable",
            message:
                "“\(settings.destination)” cannot be used: “\(program.path)” is another program than when this run began; "
                + "run submit again.")
    }
}
