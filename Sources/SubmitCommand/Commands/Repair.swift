internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
internal import SubmitJournal

/// `submit repair [BATCH|DESTINATION...]`
struct Repair: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Send again what has vanished or was changed at the destinations.",
        discussion: """
            Looks as `submit audit` does, and sends just what is lost and whose source is unchanged. Nothing that is there is \
            replaced, unless --on-conflict overwrite is given here. It then replaces changed copies and no other files. What \
            cannot be told is left alone.

            Examples:
              submit repair --dry-run
              submit repair nas

            Exit codes: 0 all is there; 1 something cannot be repaired or failed; 3 something is still waiting or cannot be told.
            """)

    @Argument(
        help: ArgumentHelp(
            "Batches, by their numbers in `submit status`, and destinations. Without: all.",
            valueName: "batch|destination"), completion: Completed.subject)
    var subjects: [String] = []

    @Option(
        help: ArgumentHelp("Only this destination; may be repeated.", valueName: "destination"),
        completion: Completed.subject)
    var to: [String] = []

    @Option(
        help: ArgumentHelp(
            "How copies are looked at: by what the destination says (usual), or by reading them back (readback).",
            valueName: "choice"))
    var verify = Verification.usual

    @Option(
        help: ArgumentHelp(
            "What to do where a destination holds other bytes of an item's name. Without: rename for what has vanished, unless "
                + "it was submitted with skip or fail; what was changed is sent again only if it was submitted with rename.",
            valueName: "choice"))
    var onConflict: ConflictPolicy?

    @Flag(help: "Say what would be sent again, and send nothing.")
    var dryRun = false

    @OptionGroup var options: RunOptions

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try Session()
        let scope = try await session.auditScope(subjects, at: to)
        let report = RepairReport(isJSON: options.json, isQuiet: options.quiet, isDryRun: dryRun)
        let waiting = Locked<Set<BatchID>>([])
        let (isDeep, isDryRun, rule) = (verify == .readback, dryRun, onConflict)
        let interrupted = try await session.interruptible { [session] in
            let batches = try await session.manager.repair(
                scope, onConflict: rule, isDeep: isDeep, isDryRun: isDryRun, unusable: session.reachAll(of: scope)
            ) { page in
                report.show(page)
            }
            waiting.withLock { $0 = batches }
        }
        report.finish()
        if interrupted {
            Output.trouble("submit: interrupted; `submit resume` sends what is waiting by now.")
            throw ExitStatus.interrupted
        }
        defer { report.tellOfKept() }
        let batches = waiting.withLock { $0.sorted() }
        if !batches.isEmpty {
            let asked = Set(scope.destinations)
            try await session.goOn(with: batches, asked: asked, options, atBest: report.status, countsEarlier: false)
        }
        if report.status != .done { throw report.status }
    }
}
