internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal

/// `submit cancel`
struct Cancel: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel what is not yet done: a batch, a destination, a submission, or all.",
        discussion: "What is done stays done. What another process is sending is broken off by that process.")

    @Argument(
        help: "A batch by its number in `submit status`, or a destination.", completion: Completed.batch)
    var which: BatchOrDestination?

    @Option(help: ArgumentHelp("What is waiting for this destination only.", valueName: "destination"))
    var to: String?

    @Option(help: ArgumentHelp("One submission, by its number in `submit list`.", valueName: "number"))
    var submission: SubmissionID?

    @Flag(help: "Everything that is waiting.")
    var all = false

    @Flag(help: "A JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if which == nil, to == nil, submission == nil, !all {
            throw ValidationError("Say what to cancel: a batch, a destination, --submission NUMBER, or --all.")
        }
    }

    func run() async throws {
        let session = try Session()
        let destination: String? =
            if let to = try which.destination(or: to) { try await session.knownName(to) } else { nil }
        let selection = SubmissionSelection(batch: which.batch, destination: destination, submission: submission)
        try await session.journal.check(selection)
        let names = await session.namesToMake(open: [])
        let cancellation = try await session.manager.cancel(selection)
        if json {
            JSONOutput.print([
                "cancelled": cancellation.cancelled, "told": cancellation.told,
                "kept_sources": cancellation.keptSources,
                "ended_acceptances": cancellation.endedAcceptances,
            ])
        } else {
            if !cancellation.cancelled.isEmpty || cancellation.told.isEmpty {
                Output.line("\(Printable.count(cancellation.cancelled.count, "submission")) cancelled.")
            }
            if !cancellation.told.isEmpty {
                let count = Printable.count(cancellation.told.count, "submission")
                Output.line(
                    "Another process is sending \(count) and stops now: `submit status` shows when they are cancelled.")
            }
            if cancellation.endedAcceptances > 0 {
                Output.line(
                    "\(Printable.count(cancellation.endedAcceptances, "acceptance")) ended: nothing more is taken in.")
            }
            if cancellation.keptSources > 0 {
                Output.line("\(Printable.count(cancellation.keptSources, "source")) that were to be removed stay.")
            }
        }
        if cancellation.tried.isEmpty { return }
        Output.flush()
        let programs = names.filter(session.catalog.isExternal)
        // A program that is slow, or mute, leaves it to the next run.
        async let _ = within(Self.patience) { await Self.discard(cancellation.tried, at: programs, in: session) }
        await Self.discard(cancellation.tried, at: names.filter { !programs.contains($0) }, in: session)
    }

    private static let patience = Duration.seconds(3)

    /// Removes what broken attempts left.
    private static func discard(_ tried: [SubmissionID], at names: [String], in session: Session) async {
        await withTaskGroup { group in
            for await destination in session.makeDestinations(names) {
                group.addTask { try? await session.manager.discard(tried, at: destination.name) }
            }
        }
    }
}
