internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SystemPackage

/// `submit service install|status|logs|remove`
struct ServiceVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Have `submit watch` run all the time, or every night, by systemd.",
        subcommands: [InstallService.self, ServiceStatus.self, ServiceLogs.self, RemoveService.self])
}

/// `submit service install [--nightly 02:30]`
struct InstallService: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Begin it now and whenever you log in.",
        discussion: """
            It watches what `watch` in the configuration says, and sends what is waiting. So that it goes on when you are \
            logged out: `loginctl enable-linger`. Installing it again changes it.
            """)

    @Option(help: ArgumentHelp("Once a day at this time instead, such as 02:30.", valueName: "time"))
    var nightly: String?

    @Option(
        name: .customLong("bwlimit"),
        help: ArgumentHelp("At most so many bytes a second, as with `submit send`.", valueName: "rate"))
    var bandwidth: String?

    @Flag(help: "Print the units, and change nothing.")
    var dryRun = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let places = AppPaths()
        // Trouble with the configuration is told now, and not in a log tonight.
        let session = try Session()
        let rules = try session.catalog.watchRules()
        for rule in rules { _ = try session.destinations(rule.destinations) }
        var options: [String] = []
        if let bandwidth {
            _ = try BandwidthSchedule(bandwidth)
            options += ["--bwlimit", bandwidth]
        }
        if rules.isEmpty {
            throw SubmitFailure.usage(
                "There is nothing to watch yet: add a rule to `watch` in \(places.configuration), such as "
                    + "“watch: [{folder: ~/Pictures, to: nas}]”.")
        }
        let program = try Self.program()
        let units: [ServiceUnit]
        warnOfEnvironment(session.catalog, rules)
        if let nightly {
            if rules.contains(where: { if case .card = $0.place { true } else { false } }) {
                throw SubmitFailure.usage(
                    "Nobody puts a card in at night: a rule for cards needs the service without --nightly.")
            }
            guard let hours = DailyHours("\(nightly)-\(nightly == "00:00" ? "00:01" : "00:00")"), hours.begin < 24 * 60
            else {
                throw ValidationError("“\(nightly)” is no time of the day, such as 02:30.")
            }
            units = ServiceUnit.nightly(program, options, places.environment, at: String(hours.description.prefix(5)))
        } else {
            units = [ServiceUnit.watching(program, options, places.environment)]
        }
        if dryRun {
            for unit in units { Output.record("# \(unit.name)\n\(unit.text)") }
            return
        }
        guard await Systemd.isThere else {
            if let nightly {
                let (hour, minute) = (nightly.prefix(2), nightly.suffix(2))
                throw SubmitFailure.usage(
                    "There is no systemd for users here: add “\(minute) \(hour) * * * \(program) watch --once” to your crontab "
                        + "(`crontab -e`).")
            }
            throw SubmitFailure.usage(
                "There is no systemd for users here: run `nohup \(program) watch &`, or add “@reboot \(program) watch” to "
                    + "your crontab (`crontab -e`).")
        }
        let folder = ServiceUnit.folder(places.environment, home: places.home)
        for unit in units { try Self.write(unit, in: folder) }
        // Of the two ways to run it there is one.
        let other = nightly == nil ? [ServiceUnit.timer, ServiceUnit.nightly] : [ServiceUnit.service]
        try await Systemd.remove(other, in: folder)
        try await Systemd.run(["daemon-reload"])
        try await Systemd.run(["enable", nightly == nil ? ServiceUnit.service : ServiceUnit.timer])
        try await Systemd.run(["restart", nightly == nil ? ServiceUnit.service : ServiceUnit.timer])
        Output.line(
            nightly.map { "Installed: it runs every day at \($0)." }
                ?? "Installed: it runs now, and whenever you log in.")
        Output.line(
            "`submit service logs` shows what it does; `loginctl enable-linger` lets it go on when you are logged out.")
    }

    /// The service has no environment but its own.
    private func warnOfEnvironment(_ catalog: DestinationCatalog, _ rules: [WatchRule]) {
        for name in Set(rules.flatMap(\.destinations)).sorted() {
            guard let type = try? catalog.type(of: name) else { continue }
            let kept = (try? catalog.credentials.secrets(of: name)).map { Set($0.keys) }
            for variable in catalog.secretSources(of: name, type, kept: kept).values.sorted()
            where catalog.places.environment[variable] != nil {
                ErrorReport.warn(
                    code: "service-environment",
                    "The service does not see “\(variable)”, which has a secret of “\(name)”: `submit secrets set \(name)` keeps it."
                )
            }
        }
    }

    /// By the name that stays when a newer one is installed.
    private static func program() throws(SubmitFailure) -> FilePath {
        let name = CommandLine.arguments.first ?? "submit"
        if name.contains("/") {
            return FilePath(FileManager.default.currentDirectoryPath).pushing(FilePath(name)).lexicallyNormalized()
        }
        for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            let path = FilePath(String(folder)).appending(name)
            if path.isAbsolute, FileManager.default.isExecutableFile(atPath: path.string) { return path }
        }
        throw .usage("Where this program lies cannot be told: call it by its whole path.")
    }

    private static func write(_ unit: ServiceUnit, in folder: FilePath) throws(SubmitFailure) {
        do {
            try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
            try Data(unit.text.utf8).write(
                to: URL(fileURLWithPath: folder.appending(unit.name).string), options: .atomic)
        } catch {
            throw .usage("“\(folder.appending(unit.name))” cannot be written: check the permissions of its folder.")
        }
    }
}

/// `submit service status`
struct ServiceStatus: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "Say whether it runs.")

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        try await Systemd.check()
        for unit in [ServiceUnit.service, ServiceUnit.timer] where Systemd.isInstalled(unit) {
            try await Systemd.show("systemctl", ["--user", "status", "--no-pager", "--lines=5", unit])
            return
        }
        Output.line("It is not installed: `submit service install` does that.")
    }
}

/// `submit service logs`
struct ServiceLogs: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(commandName: "logs", abstract: "Show what it said.")

    @Flag(name: .shortAndLong, help: "Go on showing what comes.") var follow = false

    @Option(name: [.customShort("n"), .long], help: ArgumentHelp("So many lines.", valueName: "number")) var lines = 100

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        try await Systemd.check()
        var arguments = ["--user", "-u", ServiceUnit.service, "-u", ServiceUnit.nightly, "-n", "\(lines)"]
        arguments.append(follow ? "-f" : "--no-pager")
        try await Systemd.show("journalctl", arguments)
    }
}

/// `submit service remove`
struct RemoveService: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "End it and take its units away. What is waiting stays waiting.")

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        try await Systemd.check()
        let places = AppPaths()
        let folder = ServiceUnit.folder(places.environment, home: places.home)
        let count = try await Systemd.remove([ServiceUnit.service, ServiceUnit.timer, ServiceUnit.nightly], in: folder)
        try await Systemd.run(["daemon-reload"])
        Output.line(
            count == 0 ? "It was not installed." : "Removed. What is waiting stays waiting: `submit resume` sends it.")
    }
}
