internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// `submit doctor`
struct Doctor: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Tell what a report of a fault needs: versions, limits, configuration, journal, and each destination's check.",
        discussion: """
            Changes nothing, and sends nothing but what `submit destinations check` does. No secret is shown, and your home \
            folder as “~”; names of destinations, folders and servers are, so look through it before you show it to others.

            Exit codes: 0 all is well; 1 something is wrong, which is said.
            """)

    @Flag(inversion: .prefixedNo, help: "Check the destinations, and ask programs that are submitters what they are.")
    var check = true

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let places = AppPaths()
        let times = ServerTimes()
        let catalog = await within(.seconds(20)) { Self.catalog(places, times) } ?? .failure(Self.late)
        let asks = check
        let journal = await Self.part { Examination.ofJournal(places.journal) }
        // An older journal would be migrated by it, while another version may be at work there.
        let keepsNotes =
            journal.troubles.isEmpty && journal.isCurrent
            && FileManager.default.fileExists(atPath: places.journal.string)
        var parts: [(name: String, Examination)] = [
            ("machine", await Self.part { Examination.ofMachine(places) }),
            ("libraries", await Self.part { Examination.ofLibraries() }),
            ("configuration", await Self.part { Examination.ofConfiguration(places, catalog) }),
            ("programs", await Self.part { await Examination.ofPrograms(places, try? catalog.get(), isAsking: asks) }),
            ("journal", journal),
        ]
        if check, case .success(let catalog) = catalog {
            parts.append(
                (
                    "checks",
                    await Self.part(.seconds(60)) { await .ofDestinations(catalog, times, keepsNotes: keepsNotes) }
                ))
        }
        show(parts, home: places.home.string)
        if parts.contains(where: { !$0.1.troubles.isEmpty }) { throw ExitStatus.failed }
    }

    /// Nobody is asked for a passphrase.
    private static func catalog(_ places: AppPaths, _ times: ServerTimes) -> Result<DestinationCatalog, SubmitFailure> {
        Result { () throws(SubmitFailure) in
            try DestinationCatalog(
                ProgramIdentity("submit", version: ProgramVersion.number), places, LazyJournal(places.journal),
                passphrase: { _ in nil }, over: times.over)
        }
    }

    private static let late = SubmitFailure(
        .giveUp, code: "configuration",
        message:
            "The configuration could not be read in 20 s: see that the disk answers, and those of the folders on PATH.")

    /// A part that hangs is left out, and the others are told.
    private static func part(
        _ time: Duration = .seconds(20), _ body: @escaping @Sendable () async -> Examination
    ) async -> Examination {
        await within(time, body)
            ?? Examination(troubles: [
                "This could not be found out in \(time.components.seconds) s: see that the disk answers."
            ])
    }

    private func show(_ parts: [(name: String, Examination)], home: String) {
        func shown(_ text: String) -> String {
            let text = KnownSecrets.redacted(text)
            return home.count > 1 ? text.replacing(home, with: "~") : text
        }
        guard json else {
            for (name, part) in parts {
                Output.line(Terminal.styled(name, .strong))
                let lines = part.facts.flatMap { $0.finding.lines($0.name, shown) }
                for line in lines { Output.line(Printable.line(line)) }
                for trouble in part.troubles {
                    Output.line(Terminal.styled(Printable.line("  ! \(shown(trouble))"), .bad))
                }
            }
            let count = parts.reduce(0) { $0 + $1.1.troubles.count }
            Output.line(
                count == 0
                    ? Terminal.styled("No problem was found.", .good)
                    : Terminal.styled("\(Printable.count(count, "problem")): see the lines with “!” above.", .bad))
            return
        }
        var object: [String: Any] = ["event": "doctor", "well": parts.allSatisfy { $0.1.troubles.isEmpty }]
        for (name, part) in parts {
            var facts = DoctorFact.facts(part.facts).object(shown) as? [String: Any] ?? [:]
            facts["troubles"] = part.troubles.map(shown)
            object[name] = facts
        }
        JSONOutput.print(object)
    }
}
