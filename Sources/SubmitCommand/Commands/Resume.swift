internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal

/// `submit resume [BATCH...]`
struct Resume: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Go on with what is waiting, and end pauses.",
        discussion: """
            Sends what is not yet done, of broken-off runs too, together with whoever is at work on it, and accepts the rest \
            of what was asked for when that was cut off. Nothing that is done is sent again; what failed because nothing came through, be it the way there, is tried \
            again. A destination that waits for you, such as for other credentials, \
            is tried again by one submission, and by the others once that one arrived.
            """)

    @Argument(
        help: "Batches, by their numbers in `submit status`. Without: all in which something is waiting.",
        completion: Completed.batch)
    var batches: [BatchID] = []

    @Option(
        help: ArgumentHelp(
            "End the pauses of these destinations only, and try no others again that wait for you.",
            valueName: "destination,..."), completion: Completed.destinations)
    var to: [String] = []

    @OptionGroup var options: RunOptions

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try Session()
        try await session.journal.check(batches)
        let count = try await session.resume(to.splitAtCommas, batches: batches)
        if count > 0, !options.json, !options.quiet {
            Output.line("\(Printable.count(count, "submission")) that failed by the way there to try again.")
        }
        try await session.goOn(with: batches, asked: [], options)
    }
}

/// `submit retry [BATCH]`
struct Retry: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try failed submissions again.",
        discussion: """
            Goes on with everything else that is waiting, too. What may have arrived all the same (“outcome-unknown”) is left as \
            it is: look at the destination, and name it with --submission if it is missing there.
            """)

    @Argument(
        help: "A batch by its number in `submit status`, or a destination. (default: all)", completion: Completed.batch)
    var which: BatchOrDestination?

    @Option(help: ArgumentHelp("Those of this destination only.", valueName: "destination"))
    var to: String?

    @Option(help: ArgumentHelp("This submission only, by its number in `submit list`.", valueName: "number"))
    var submission: SubmissionID?

    @OptionGroup var options: RunOptions

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try Session()
        let destination: String? =
            if let to = try which.destination(or: to) { try await session.knownName(to) } else { nil }
        let selection = SubmissionSelection(batch: which.batch, destination: destination, submission: submission)
        try await session.journal.check(selection)
        var asked = try await session.journal.failedDestinations(selection)
        if let destination { asked.insert(destination) }
        let count = try await session.manager.retry(selection)
        let doubtful = try await session.journal.unknownOutcomes(selection)
        if !options.json, !options.quiet {
            Output.line("\(Printable.count(count, "submission")) to try again.")
            if doubtful > 0 {
                Output.line(
                    "\(Printable.count(doubtful, "submission")) may have arrived all the same: look there, and try those that "
                        + "are missing again with `submit retry --submission NUMBER` (`submit list`).")
            }
        }
        try await session.goOn(with: which.batch.map { [$0] } ?? [], asked: asked, options)
    }
}

extension Session {
    /// Ends pauses of these destinations, or of all, has them looked at again, and owes again what failed by the way there.
    ///
    /// - Returns: how many submissions that are.
    func resume(_ names: [String], batches: [BatchID]) async throws -> Int {
        var wanted: [String] = []
        for name in names { wanted.append(try await knownName(name)) }
        if wanted.isEmpty {
            // What is waiting for a destination that there is no longer waits for ever.
            let names = Set(catalog.names)
            let known = try await journal.destinationNames() + journal.destinationStates().map(\.name)
            wanted = known.filter(names.contains)
        }
        try await manager.tellCatalogueAgain(at: wanted)
        return try await manager.resume(wanted, batches: batches)
    }

    /// Pays what is waiting of these batches, together with whoever is at work on them; of all, where none are named.
    ///
    /// - Parameters:
    ///   - asked: destinations to try though they wait for someone.
    ///   - atBest: the exit status where all of it is done.
    ///   - countsEarlier: what failed or was cancelled before counts in the exit status, too.
    func goOn(
        with batches: [BatchID], asked: Set<String>, _ options: RunOptions, atBest: ExitStatus = .done,
        countsEarlier: Bool = true
    ) async throws {
        try await journal.sweep()
        let wanted = Set(batches)
        let unfinished = try await journal.unfinishedBatches().filter { batches.isEmpty || wanted.contains($0) }
        let removals = try await journal.removalBatches().filter { batches.isEmpty || wanted.contains($0) }
        let isTold = try await journal.untoldTallies().allSatisfy { $0.waiting == 0 }
        if unfinished.isEmpty, removals.isEmpty, isTold, !options.json, !options.quiet {
            Output.line("Nothing is waiting.")
        }
        let open = batches.isEmpty ? Set(unfinished).union(removals).sorted() : batches
        try await Runner(
            session: self, options: options, removals: batches.isEmpty ? nil : batches, atBest: atBest,
            countsEarlier: countsEarlier
        ).resume(open, asked: asked)
    }
}
