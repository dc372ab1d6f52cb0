internal import ArgumentParser
internal import Dispatch
internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitHTTP
internal import SubmitTesting

/// `submit contract DESTINATION`
struct Contract: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "contract", abstract: "Try what every destination promises on a live one, and tidy up.",
        usage: """
            submit contract DESTINATION [--only ID|TEXT ...] [--limit TIME] [--faults COMMAND] [--json]
            submit contract NAME --type TYPE [--set KEY=VALUE ...]
            """,
        discussion: """
            Sends small and large invented photos under names that begin with submit-contract-, looks what became of them, \
            and removes them; nothing else is touched. Where copies cannot be removed, it says which remain. About 150 MB \
            are sent where items go in parts, a third of that elsewhere. A promise that goes on though it was told to end \
            is broken, and the last one tried.

            Where submit itself speaks HTTP, it also lets requests fail as a server does that is away, full, overrun or \
            not what is configured, and loses answers; the server hears nothing of that. Any other destination fails by \
            the command of --faults: it gets one more argument, unreachable, credentials, full, throttled, misconfigured \
            or lost-reply, and has to make that fault (of a lost reply, that the next copy is stored and nobody is told), \
            or none, and has to end it. It exits with 0, or with 64 where it cannot make that fault.

            Exit codes: 0 no promise is broken; 1 some are; 2 usage or configuration; 3 the destination cannot be reached, \
            is full or asks to slow down; 130 interrupted.
            """)

    @Argument(help: "The destination, or what to call one that is not configured.", completion: Completed.destination)
    var destination: String

    @Option(help: "The type of a destination that is not configured, as `submit types` lists them.")
    var type: String?

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp("A setting of a destination that is not configured.", valueName: "key=value"))
    var settings: [String] = []

    @Flag(help: "Read secrets as KEY=VALUE lines from standard input.")
    var stdin = false

    /// The name of `--stdin` in earlier versions.
    @Flag(help: .hidden)
    var secretsFromStdin = false

    private var readsSecrets: Bool { stdin || secretsFromStdin }

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Try only the promise of this id, as --json tells it, or those that have this in their sentence.",
            valueName: "id or text"))
    var only: [String] = []

    @Option(help: ArgumentHelp("The longest that one promise may take.", valueName: "time, as 90s or 10m"))
    var limit = TimeSpan(seconds: 600)

    @Option(
        help: ArgumentHelp(
            "What makes the destination fail, with its arguments, for the promises about that.", valueName: "command"))
    var faults: String?

    @Flag(help: "One JSON object a line instead of text: one for each promise, and last the card.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let cases = try chosen()
        let program = try faults.map { text throws(SubmitFailure) in try FaultProgram(text) }
        try await program?.mustEnd()
        let wire = Locked<FaultyTransport?>(nil)
        let (type, settings) = try subject { transport in
            let faulty = FaultyTransport(transport)
            wire.withLock { $0 = faulty }
            return faulty
        }
        let all = [program as (any LiveFaults)?, wire.withLock { $0 }.map(TransportFaults.init)].compactMap { $0 }
        try Self.checkNames(settings)
        let run = ContractRun(
            type: type, destination: settings.destination, cases: cases,
            display: json ? ContractDisplay.json : .text,
            harness: try harness(type, settings, all), limit: limit)
        let task = Task { try await run.run() }
        let interrupts = Interrupts(grace: .seconds(30)) {
            "submit: What is left begins with “\(run.harness.scratchName)”: remove it by hand."
        } first: {
            task.cancel()
        }
        let outcome = await task.result
        let wasInterrupted = interrupts.wasInterrupted
        interrupts.end()
        do {
            let isFine = try outcome.get()
            if wasInterrupted {
                Output.trouble("submit: interrupted.")
                throw ExitStatus.interrupted
            }
            if !isFine { throw ExitStatus.failed }
        } catch let failure as SubmitFailure {
            if wasInterrupted { throw ExitStatus.interrupted }
            guard failure.remedy.mayBeAnOutage, failure.remedy != .hold(.misconfigured, after: nil)
            else { throw failure }
            ErrorReport.tell(failure, about: ["destination": settings.destination])
            throw ExitStatus.waiting
        }
    }

    private func chosen() throws(SubmitFailure) -> [ContractCase] {
        guard !only.isEmpty else { return ContractSuite.cases }
        var ids: Set<String> = []
        for word in only {
            var found = ContractSuite.cases.filter { $0.id == word }
            if found.isEmpty {
                found = ContractSuite.cases.filter { $0.name.range(of: word, options: .caseInsensitive) != nil }
            }
            guard !found.isEmpty else {
                let hint = NearestNames.hint(for: word, among: ContractSuite.cases.map(\.id))
                throw .usage(
                    "No promise has “\(word)” as its id or in its sentence\(hint); without --only all are tried.")
            }
            ids.formUnion(found.map(\.id))
        }
        return ContractSuite.cases.filter { ids.contains($0.id) }
    }

    /// What is tried: a destination of the configuration, or one that the arguments describe.
    private func subject(
        over wrap: (any HTTPTransport) -> any HTTPTransport
    ) throws(SubmitFailure) -> (SubmitterType, DestinationSettings) {
        let catalog = try Session.catalog(over: wrap)
        let notes = TransientNotes()
        guard type != nil || !settings.isEmpty || readsSecrets else {
            let name = try catalog.canonicalName(destination)
            let type = try catalog.type(of: name)
            _ = try catalog.destination(name)
            return (type, try catalog.settings(name, type, notes: notes))
        }
        guard !catalog.isConfigured(destination) else {
            throw .usage(
                "There is a destination “\(destination)” already: leave --type, --set and --stdin out, or "
                    + "choose another name.")
        }
        let kind = try catalog.types.type(named: type ?? destination)
            .refined(by: DestinationSettings(destination: destination, values: NewDestination.texts(settings)))
        let new = NewDestination(name: destination, type: kind, purpose: "was not tried")
        let values = try new.values(settings)
        let secrets = try new.secrets(with: values, fromStdin: readsSecrets, catalog)
        return (
            kind, try catalog.adding(destination, kind.name, values, secrets).settings(destination, kind, notes: notes)
        )
    }

    /// What is tried replaces and removes copies by name: under a path without the item's own, they could be anyone's.
    private static func checkNames(_ settings: DestinationSettings) throws(SubmitFailure) {
        guard let template = settings["template"], !template.contains("{name"), !template.contains("{stem") else {
            return
        }
        throw SubmitFailure(
            .giveUp, code: "no-names",
            message:
                "“\(settings.destination)” was not tried: its template “\(template)” has neither {name} nor {stem}, so that "
                + "what is tried could take the place of your photos; try it with such a template by --type and --set.")
    }

    private func harness(
        _ type: SubmitterType, _ settings: DestinationSettings, _ faults: [any LiveFaults]
    ) throws(SubmitFailure) -> LiveHarness {
        var partSize: Int64?
        if type.settings.contains(where: { $0.name == "part_size" }) {
            partSize = try settings.size("part_size") ?? 8 << 20
        }
        let secrets = type.settings.filter { $0.kind == .secret }.compactMap { settings.secret($0.name) }
        // Short ones stand in other texts too.
        return LiveHarness(secrets: secrets.filter { $0.utf8.count >= 8 }, partSize: partSize, faults: faults) {
            () async throws(SubmitFailure) in try type.make(settings)
        }
    }
}

extension Remedy {
    /// It says that the destination cannot be used now, or leaves that open.
    var mayBeAnOutage: Bool {
        switch self {
        case .hold, .tryAnother: true
        default: false
        }
    }
}
