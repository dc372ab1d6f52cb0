internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol

/// A submitter that runs as another program.
struct ExternalSubmitter: Submitter {
    let capabilities: Capabilities
    let keeper: ProgramSupervisor
    /// Never more than its width: it was promised so.
    private let permits: AsyncSemaphore

    init(_ keeper: ProgramSupervisor) {
        self.keeper = keeper
        capabilities = keeper.configured.capabilities ?? keeper.type.capabilities
        permits = AsyncSemaphore(capabilities.ordering.width)
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        guard await permits.acquire() else { throw .cancelled }
        defer { permits.release() }
        // Nobody is at work on what was never tried.
        if context.attempt > 1 { try await OrphanedPrograms.end() }
        let path = AcceptedPath(item, bytes)
        let side = HostedAttempt(bytes, context, path: path)
        let attempt = AttemptDescription(item, context, path: path?.text)
        let outcome: RequestOutcome?
        do throws(SubmitFailure) {
            outcome = try await keeper.ask(.submit(attempt), side)
        } catch {
            side.noteCut(error)
            throw error.remedy == .sourceLost ? believed(error, side) : error
        }
        guard case .receipt(let receipt)? = outcome else {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "submitter-unusable",
                message:
                    "“\(item.name)” was not sent to “\(keeper.settings.destination)”: “\(keeper.program.path)” does not know "
                    + "“submit”, mend or remove it.")
        }
        // It was told that it must not go on, and did.
        if let denial = side.denial { throw denial }
        // Whatever it asked and when: it may have read on after that.
        try side.verify()
        return receipt
    }

    /// That a source is lost ends its submissions everywhere, so that we look ourselves.
    private func believed(_ failure: SubmitFailure, _ side: HostedAttempt) -> SubmitFailure {
        if let denial = side.denial { return denial }
        do throws(SubmitFailure) {
            try side.verify()
        } catch {
            return error
        }
        return SubmitFailure(.retry(after: nil), code: failure.code, message: failure.message)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await OrphanedPrograms.end()
        let attempt = AttemptDescription(item, context, path: nil)
        do throws(SubmitFailure) {
            _ = try await keeper.ask(.discard(attempt), HostedAttempt(nil, context))
        } catch {
            throw error.ofNoSource
        }
    }

    func check() async throws(SubmitFailure) -> String {
        do throws(SubmitFailure) {
            if case .text(let text)? = try await keeper.ask(.check) { return text }
        } catch {
            throw error.ofNoSource
        }
        return "“\(keeper.program.path)” has nothing to check."
    }
}

extension AttemptDescription {
    init(_ item: MediaItem, _ context: SubmissionContext, path: String?) {
        // Version 1 of the protocol has no address to store at, and the item's own name may be another photo's.
        var options = context.options
        if context.repairedAddress != nil { options.onConflict = .rename }
        self.init(
            submission: context.submission, attempt: context.attempt, item: item, path: path, options: options,
            disproved: context.disproved,
            checkpoint: context.checkpoint.flatMap { String(validating: $0.data, as: UTF8.self) })
    }
}

extension SubmitFailure {
    /// The failure of something that has no source to lose.
    var ofNoSource: SubmitFailure {
        remedy == .sourceLost ? SubmitFailure(.giveUp, code: code, message: message) : self
    }
}

extension ExternalSubmitter: CustomStringConvertible, CustomReflectable {
    /// Names the program and the destination; never a secret.
    var description: String { "\(keeper.program.path)(\(keeper.settings.destination))" }

    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
