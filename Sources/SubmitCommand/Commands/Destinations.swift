internal import ArgumentParser
internal import Foundation
internal import Logging
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// `submit destinations`: list, add, edit, rename, secret, remove, check, moved.
struct Destinations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destinations", abstract: "List, add, change, remove and check destinations.",
        subcommands: [
            ListDestinations.self, AddDestination.self, EditDestination.self, RenameDestination.self,
            DestinationSecret.self, RemoveDestination.self, CheckDestination.self, MovedDestination.self,
        ],
        defaultSubcommand: ListDestinations.self)
}

struct ListDestinations: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the destinations, with their types and settings.",
        discussion: """
            A star marks those that are used without --to. Ready is what a check or a login found usable, or what has \
            copies, and is configured as it was then. What is not configured and could be follows in a line of its own.
            """)

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let catalog = try Session.catalog()
        let all = await KnownReadiness.all(catalog)
        if json {
            for known in all { JSONOutput.print(known.object) }
        } else {
            for line in all.lines { Output.line(Printable.line(line)) }
        }
        do throws(SubmitFailure) {
            _ = try catalog.defaults()
        } catch {
            ErrorReport.tell(error)
            throw ExitStatus.failed
        }
    }
}

struct AddDestination: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a destination to the configuration.",
        usage: "submit destinations add NAME [--type TYPE] [KEY=VALUE ...]",
        discussion: """
            Secrets are never given as arguments: they are asked for on the terminal, or read as KEY=VALUE lines from \
            standard input with --stdin, and kept in a file only you can read. `submit types` lists the keys. \
            What is missing is asked for on a terminal.

            Examples:
              submit destinations add nas --type file path=/mnt/nas/photos
              submit destinations add cloud --type webdav url=https://cloud.example.com user=me
              submit destinations add bucket --type objstore bucket=photos endpoint=https://s3.example.com
            """)

    @Argument(help: "What to call it: letters, digits, “-”, “_” and “.”.")
    var name: String

    @Option(
        help: "Its type, as `submit types` lists them. Without: the type that is called as the destination is.",
        completion: Completed.type)
    var type: String?

    @Flag(help: "Read secrets as KEY=VALUE lines from standard input.")
    var stdin = false

    /// The name of `--stdin` in earlier versions.
    @Flag(help: .hidden)
    var secretsFromStdin = false

    private var readsSecrets: Bool { stdin || secretsFromStdin }

    /// The types that most destinations have, by a setting that only they need.
    private static let typesBySetting = ["path": "file", "url": "webdav", "bucket": "objstore"]

    /// The command with the type that the settings suggest; `nil` if they suggest none.
    private var lackOfType: SubmitFailure? {
        let known = settings.lazy.compactMap { setting in
            Self.typesBySetting[String(setting.prefix { $0 != "=" })].map { (type: $0, setting: setting) }
        }.first
        guard let known else { return nil }
        // Any other setting may be a secret, and an address may contain one.
        let setting = known.type == "webdav" ? "url=…" : ShellText.quoted(known.setting)
        let rest = settings.count > 1 ? " …" : ""
        return .usage(
            "“\(name)” needs a type: `submit destinations add \(name) --type \(known.type) \(setting)\(rest)`. "
                + "`submit types` lists the types.")
    }

    @Flag(help: "Use a folder on the system disk, even if its path looks like that of a mounted disk.")
    var yes = false

    @Argument(help: "Settings as KEY=VALUE, as `submit types` lists them.", completion: Completed.setting)
    var settings: [String] = []

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let places = AppPaths()
        let journal = LazyJournal(places.journal)
        let catalog = try Session.catalog(places, journal)
        if let complaint = catalog.complaint(aboutNew: name) { throw SubmitFailure.usage(complaint) }
        let isAsking = Confirmation.isPossible && !readsSecrets
        if isAsking, type == nil, settings.isEmpty, (try? catalog.types.canonicalName(name)) == nil {
            if try await DestinationSetUp(places: places, name: name).run() == nil { throw ExitStatus.interrupted }
            return
        }
        if type == nil, (try? catalog.types.canonicalName(name)) == nil, let lack = lackOfType { throw lack }
        let typeName = try catalog.types.canonicalName(type ?? name)
        let kind = try catalog.types.type(named: type ?? name)
            .refined(by: DestinationSettings(destination: name, values: NewDestination.texts(settings)))
        let new = NewDestination(name: name, type: kind, purpose: "was not added")
        var values = try new.values(settings)
        if isAsking { values += try new.missing(values, catalog) }
        let secrets = try new.secrets(with: values, fromStdin: readsSecrets, catalog)
        let disk = try await NewDisk(destination: new.made(values, secrets, typeName, catalog), isMeant: yes).decision()
        guard disk != .other else { throw SubmitFailure.usage("“\(name)” was not added.") }
        try await new.keep(values, secrets, type: typeName, catalog, journal)
        if disk == .confirmed {
            _ = try await catalog.adding(name, typeName, values, secrets).destination(name).submitter.facets.home?
                .moved()
        }
        Output.line(
            "Added “\(name)”. `submit destinations check \(name)` tries it, `submit --to \(name) PATH…` sends there.")
        let keys = kind.settings.filter { $0.kind == .secret }
        let settings = try catalog.adding(name, kind.name, values, secrets).settings(name, kind)
        if !keys.isEmpty, keys.allSatisfy({ settings.secret($0.name) == nil }) {
            Output.line(
                "It has no secret (\(keys.map(\.name).joined(separator: ", "))): `submit secrets set \(name)` sets one."
            )
        }
    }
}

struct RemoveDestination: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a destination and its secrets from the configuration.",
        discussion: """
            Its copies stay. One for which something is waiting is removed only with --force; what waits for it then \
            waits in the journal until a destination of this name is added again, or is cancelled.
            """, aliases: ["rm", "delete"])

    @Argument(help: "The destination.", completion: Completed.destination)
    var name: String

    @Flag(help: "Remove it though something is waiting for it.")
    var force = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let places = AppPaths()
        let journal = LazyJournal(places.journal)
        let catalog = try Session.catalog(places, journal)
        // A shell completes the name with a slash if a folder has it, too.
        let name = self.name.hasSuffix("/") ? String(self.name.dropLast()) : self.name
        guard catalog.isConfigured(name) else {
            let hint = NearestNames.hint(for: name, among: Array(catalog.file.destinations.keys))
            throw SubmitFailure.usage("There is no destination “\(name)” in \(places.configuration)\(hint).")
        }
        if let line = catalog.file.defaults.first(where: { $0.text == name })?.line {
            throw SubmitFailure.usage(
                "“\(name)” is a default destination (\(places.configuration):\(line)): take it out there first.")
        }
        let isJournal = FileManager.default.fileExists(atPath: places.journal.string)
        let waiting = isJournal ? try await journal.open().waiting(nil)[name]?.count ?? 0 : 0
        guard waiting == 0 || force else {
            throw SubmitFailure(
                .giveUp, code: "still-waiting",
                message:
                    "\(Printable.count(waiting, "submission")) for “\(name)” still waiting: `submit resume` sends and "
                    + "`submit cancel --to \(name)` cancels what is waiting; with --force it stays in the journal, waiting "
                    + "until a destination “\(name)” is added again.")
        }
        let path = catalog.file.destinations[name]?.values["path"]?.text
        var file = EditedConfiguration(places)
        try file.text.remove(name)
        try file.write()
        try catalog.credentials.change(name) { $0 = [:] }
        Output.line(
            Printable.line(
                "Removed “\(name)” from the configuration. Its copies stay\(path.map { " in \($0)" } ?? "")."))
        if waiting > 0 {
            Output.line(
                "\(Printable.count(waiting, "submission")) for it waiting in the journal: add “\(name)” again, or "
                    + "`submit cancel --to \(name)`.")
        }
    }
}

struct CheckDestination: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Find out whether destinations can be used, and leave nothing there.")

    @Argument(help: "Destinations. Without: the configured ones, and `file`.", completion: Completed.destination)
    var names: [String] = []

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try Session()
        let catalog = session.catalog
        var wanted = names.splitAtCommas
        if wanted.isEmpty { wanted = catalog.names.filter { catalog.isConfigured($0) || $0 == "file" } }
        var isFine = true
        for name in wanted {
            let canonical = try catalog.canonicalName(name)
            do throws(SubmitFailure) {
                let destination = try catalog.destination(canonical)
                let logger = CommandLog.logger.doing("check", at: canonical)
                let sentence = try await withLogger(logger) { _ async throws(SubmitFailure) in
                    try await destination.submitter.check()
                }
                await KnownReadiness.note(canonical, isReady: true, catalog)
                session.manager.add(destination)
                let proof = try await session.manager.proofs(at: [canonical]).first?.proof
                show(canonical, isReady: true, KnownSecrets.redacted(sentence) + told(destination), proof)
            } catch {
                isFine = false
                await KnownReadiness.note(canonical, isReady: false, catalog)
                show(canonical, isReady: false, error.advised(at: canonical))
            }
        }
        if !isFine { throw ExitStatus.failed }
    }

    /// Who sees what it gets, where that is not only who has its account.
    private func told(_ destination: Destination) -> String {
        let rendition = destination.rendition()
        switch destination.visibility {
        case .public: return " Anybody sees what it gets: \(rendition.words)."
        case .private: return rendition.isOriginal ? "" : " It gets renditions: \(rendition.words)."
        }
    }

    private func show(_ name: String, isReady: Bool, _ sentence: String, _ proof: DestinationProof? = nil) {
        if json {
            var object: [String: Any] = ["destination": name, "ready": isReady, "message": sentence]
            object["proof"] = proof?.word
            object["proof_message"] = proof?.sentence(name)
            JSONOutput.print(object)
        } else {
            Output.line(Printable.line("\(name): \(sentence)\(proof.map { " \($0.sentence(name))" } ?? "")"))
        }
    }
}
