internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SystemPackage

/// `submit watch [FOLDER...] --to nas,cloud`
struct WatchVerb: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Send whatever comes into folders or on cards, until it is ended.",
        usage: """
            submit watch [--to DESTINATION,...] [OPTIONS] FOLDER...
            submit watch [OPTIONS]
            """,
        discussion: """
            Without folders, the rules of `watch` in the configuration count, such as

            watch: [{folder: ~/Incoming, to: nas, exclude: [old/]}, {card: any, to: nas}]

            A file is sent when its program has closed it \
            and it has not changed for a while; what came while nobody watched is sent at the beginning. What is waiting of \
            other runs is sent, too, so that this is all that has to run. Ctrl-C ends it, and loses nothing.

            Examples:
              submit watch --to nas ~/Pictures
              submit watch --once --to nas ~/Pictures
            """)

    @OptionGroup var target: TargetOptions

    @OptionGroup var renditions: RenditionOptions

    @Option(
        help: ArgumentHelp(
            "Which goes first of what waits, in every run: high, normal, or low, when nothing else is due.",
            valueName: "choice"))
    var priority = SendingPriority.normal

    @Flag(help: "Take files that are neither photo nor video, too.")
    var anyFile = false

    @Flag(help: "Take hidden files and folders, too.")
    var hidden = false

    @OptionGroup var sources: RemovalOptions

    @Option(help: ArgumentHelp("How long a file has to stay as it is, such as 2s.", valueName: "time"))
    var settle = TimeSpan(seconds: 2)

    @Option(
        help: ArgumentHelp(
            "How often a share is looked through, of which the system does not tell all.", valueName: "time"))
    var poll = TimeSpan(seconds: 60)

    @Flag(help: "Send what has come by now, and end; for a timer.")
    var once = false

    @OptionGroup(title: "Which files") var files: FilterOptions

    @OptionGroup var options: RunOptions

    @Argument(help: "Folders.", completion: .directory)
    var folders: [String] = []

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if folders.isEmpty, !target.to.isEmpty {
            throw ValidationError(
                "--to is for the folders that are named: name some, or leave it out for the rules of the configuration."
            )
        }
        if files.older != nil, !once {
            throw ValidationError("--older is for --once: what is too young when it comes is not looked at again.")
        }
        if files.order != .name {
            throw ValidationError("--order is for `submit send`: what comes is sent as it comes.")
        }
    }

    func run() async throws {
        let session = try await Session().adding(foldersOf: target.names, isMeant: false)
        let rules = try self.rules(session)
        if !folders.isEmpty { try await session.confirmDisks(of: rules.flatMap(\.destinations), isMeant: false) }
        if rules.isEmpty {
            throw SubmitFailure.usage(
                "Name a folder to watch, or add `watch` to \(AppPaths().configuration): it has no rule yet.")
        }
        // Where one is in another, what comes there would be accepted twice for the same destinations.
        for (index, rule) in rules.enumerated() {
            guard case .folder(let folder) = rule.place else { continue }
            for other in rules[..<index] where other.overlaps(folder, rule.destinations) {
                throw SubmitFailure.usage(
                    "“\(folder)” is watched twice for the same destination: leave one of the two rules out.")
            }
            try await WideSources(session: session, isMeant: false, countsFiles: false).check(
                rule.request(below: folder))
            if Confirmation.isPossible {
                try await Publishing(session: session, isMeant: false).check(rule.request(below: folder))
            }
        }
        if once { return try await sendOnce(rules, session) }
        let service = try WatchService(session, rules, options)
        let work = Task { try await service.run() }
        let interrupts = Interrupts(
            grace: .seconds(5), advice: { "submit: ended; `submit watch` goes on where it was." },
            first: { work.cancel() })
        defer { interrupts.end() }
        try await work.value
    }

    /// One batch a rule; the worst of their ends is that of all.
    private func sendOnce(_ rules: [WatchRule], _ session: Session) async throws {
        var worst = ExitStatus.done
        for rule in rules {
            guard case .folder(let folder) = rule.place else { continue }
            guard FileManager.default.fileExists(atPath: folder.string) else {
                Output.trouble(Printable.line("“\(folder)” is not there: what comes into it is sent when it is."))
                continue
            }
            _ = try session.destinations(rule.destinations)
            let request = rule.request(below: folder)
            do {
                try await Runner(session: session, options: options).send(request)
            } catch let status as ExitStatus {
                if status == .interrupted { throw status }
                worst = worst.worse(status)
            }
        }
        do {
            try await session.goOn(with: [], asked: [], options)
        } catch let status as ExitStatus {
            if status == .interrupted { throw status }
            worst = worst.worse(status)
        }
        if worst != .done { throw worst }
    }

    private func rules(_ session: Session) throws -> [WatchRule] {
        if folders.isEmpty { return try session.catalog.watchRules() }
        let destinations = try session.destinations(target.names)
        return try SourcePaths.resolve(folders, separator: 0x0a).map { folder in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder.string, isDirectory: &isFolder), isFolder.boolValue
            else {
                throw SubmitFailure.usage("“\(folder)” is no folder: check its name.")
            }
            var rule = WatchRule(.folder(folder.lexicallyNormalized()), to: destinations)
            rule.album = target.album
            rule.rendition = renditions.asked
            rule.filter = files.filter
            rule.priority = priority
            rule.takesAnyFile = anyFile
            rule.takesHidden = hidden
            rule.settling = .seconds(settle.seconds)
            rule.polling = .seconds(max(1, poll.seconds))
            rule.removal = sources.removal
            return rule
        }
    }
}

extension WatchRule {
    fileprivate func overlaps(_ folder: FilePath, _ destinations: [String]) -> Bool {
        guard case .folder(let mine) = place else { return false }
        return (mine.starts(with: folder) || folder.starts(with: mine))
            && !Set(self.destinations).isDisjoint(with: destinations)
    }
}
