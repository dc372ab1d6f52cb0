internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol

/// Keeps one process of a program for one destination, and starts another when it has ended and something is to be asked.
final class ProgramSupervisor: Sendable {
    let type: TypeDescription
    let configured: ConfiguredDescription
    let settings: DestinationSettings
    private let launcher: ProgramLauncher
    private let current: Locked<Conversation>
    /// Who starts one, does it alone.
    private let starting = AsyncSemaphore(1)

    init(
        _ launcher: ProgramLauncher, _ type: TypeDescription, _ settings: DestinationSettings,
        _ configured: ConfiguredDescription,
        _ conversation: Conversation
    ) {
        self.launcher = launcher
        self.type = type
        self.settings = settings
        self.configured = configured
        current = Locked(conversation)
    }

    deinit {
        current.withLock { $0 }.letGo()
    }

    var program: ExternalProgram { launcher.program }

    /// The process that is asked now, or was last.
    var conversation: Conversation { current.withLock { $0 } }

    /// Asks. Where the process has ended, another is started first, when nothing is left of the former.
    ///
    /// - Returns: `nil` where the submitter does not know such requests.
    func ask(_ request: HostRequest, _ attempt: HostedAttempt? = nil) async throws(SubmitFailure) -> RequestOutcome? {
        try await running().ask(request, attempt).get()
    }

    private func running() async throws(SubmitFailure) -> Conversation {
        let conversation = conversation
        if !conversation.isOver { return conversation }
        guard await starting.acquire() else { throw .cancelled }
        defer { starting.release() }
        let former = self.conversation
        if !former.isOver { return former }
        // Two processes must never work on one submission.
        try await former.gone()
        let new = try await launcher.restart(settings, type, configured)
        current.withLock { $0 = new }
        return new
    }
}
