internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SubmitNotifications
internal import SubmitWatch
internal import SystemPackage

/// What `submit watch` does until it is ended: accepts what comes, and pays what is waiting of every batch, whoever accepted
/// it.
struct WatchService: Sendable {
    let session: Session
    let rules: [WatchRule]
    let options: RunOptions
    private let desk: NewsDesk?
    private let lastTrouble = Locked("")

    private var manager: SubmitManager { session.manager }

    /// How often it looks after what nobody tells it of: destinations that others send to, cut-off acceptances, sources to
    /// remove.
    private static let housekeeping = Duration.seconds(5)

    init(_ session: Session, _ rules: [WatchRule], _ options: RunOptions) throws(SubmitFailure) {
        desk = try session.catalog.newsDesk(session.manager)
        self.session = session
        self.rules = rules
        self.options = options
    }

    /// Works until the task is cancelled.
    ///
    /// - Throws: when the journal cannot be used at the beginning.
    func run() async throws {
        let output = DispatchQueue(label: "output")
        nonisolated(unsafe) let display: any Display =
            options.json
            ? JSONDisplay() : LineDisplay(isQuiet: options.quiet, isVerbose: options.verbose, isEndless: true)
        let ended = Locked(Report.Others())
        let listening = manager.listen { event in
            ended.withLock { $0.add(event, unless: []) }
            output.async {
                display.show(event)
                Output.flush()
            }
        }
        defer { listening.cancel() }
        if let bandwidth = options.bandwidth { manager.limit(to: bandwidth) }
        for rule in rules { _ = try session.destinations(rule.destinations) }
        say("watching", tellRules)
        ServiceManager.tell("READY=1\nSTATUS=\(tellRules)")
        await withTaskGroup { group in
            group.addTask { await pay() }
            group.addTask { await UnderWayFile(session.catalog.places).write(for: manager) }
            for rule in rules {
                switch rule.place {
                case .folder(let folder): group.addTask { await watch(folder, rule) }
                case .card: break
                }
            }
            if rules.contains(where: { if case .card = $0.place { true } else { false } }) {
                group.addTask { await watchCards() }
            }
            group.addTask { await watchNetwork() }
            group.addTask { await keepHouse() }
            group.addTask { await tellNews() }
            if let heartbeat = ServiceManager.heartbeat { group.addTask { await beat(every: heartbeat) } }
        }
        ServiceManager.tell("STOPPING=1")
        output.sync {}
        say(ended.withLock { $0 })
    }

    private func say(_ ended: Report.Others) {
        if options.json {
            JSONOutput.print([
                "event": "watched", "done": ended.done, "skipped": ended.skipped, "failed": ended.failed,
            ])
        } else if !options.quiet {
            let parts = [(ended.done, "done"), (ended.skipped, "skipped"), (ended.failed, "failed")]
                .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            Output.line("while watching: \(parts.isEmpty ? "nothing was sent" : parts.joined(separator: ", "))")
        }
        Output.flush()
    }

    // MARK: Paying

    /// A run that ended as the journal failed begins anew.
    private func pay() async {
        while !Task.isCancelled {
            do throws(SubmitFailure) {
                try await manager.start(nil, jobs: options.jobs).finish(patience: nil)
            } catch {
                tell(error)
                try? await Task.sleep(for: Self.housekeeping)
            }
        }
    }

    private func keepHouse() async {
        while !Task.isCancelled {
            do {
                let cutOff = Set(try await session.journal.openAcceptances(of: nil).map(\.batch)).sorted()
                for await _ in await session.makeDestinations(open: cutOff) {}
                for batch in cutOff { _ = try? await manager.completeAcceptance(of: batch) }
                let names = try await session.journal.removalDestinations(batches: nil)
                if !names.isEmpty { try await manager.removeSources(unusable: session.reach(Set(names))) }
            } catch {
                tell(error)
            }
            try? await Task.sleep(for: Self.housekeeping)
        }
    }

    private func tellNews() async {
        guard let desk else { return }
        while !Task.isCancelled {
            do throws(SubmitFailure) {
                try await desk.work()
            } catch {
                tell(error)
            }
            try? await Task.sleep(for: Self.housekeeping)
        }
    }

    private func watchNetwork() async {
        for await _ in NetworkNotices.stream() {
            // Several things change at once.
            try? await Task.sleep(for: .seconds(1))
            if Task.isCancelled { return }
            let onHold = ((try? await session.journal.destinationStates()) ?? []).filter {
                $0.hold?.reason == .unreachable
            }
            if !onHold.isEmpty { try? await manager.lookAgain(at: onHold.map(\.name)) }
        }
    }

    private func beat(every interval: Duration) async {
        while !Task.isCancelled {
            // It goes on as long as the journal answers.
            if (try? await session.journal.destinationNames()) != nil { ServiceManager.tell("WATCHDOG=1") }
            try? await Task.sleep(for: interval)
        }
    }

    // MARK: Folders

    private func watch(_ folder: FilePath, _ rule: WatchRule) async {
        let watcher = FolderWatcher(
            folder, settling: rule.settling, polling: rule.polling, takesHidden: rule.takesHidden,
            takesPreviews: rule.takesAnyFile, filter: rule.filter,
            leavingOut: session.copyFolders(of: rule.destinations).map(\.folder))
        await watcher.run { news in
            switch news {
            case .settled(let files): return await take(files, rule)
            case .gone(let sentence), .polled(let sentence): warn(sentence)
            case .back:
                say("folder-back", "“\(folder)” is there again.")
                await hurry(rule)
            }
            return []
        }
    }

    /// Without those that are accepted and wait yet: whoever removes sources asks for all copies anew.
    private func notWaiting(_ files: [FilePath]) async throws(SubmitFailure) -> [FilePath] {
        var left: [FilePath] = []
        for file in files {
            let records = try await session.journal.submissions(ofSource: file, limit: 20)
            var status = stat()
            let identity = file.withPlatformString { stat($0, &status) } == 0 ? SourceIdentity(status) : nil
            let waits = records.contains { [.waiting, .running].contains($0.state) && $0.identity == identity }
            if !waits { left.append(file) }
        }
        return left
    }

    /// What waits for a disk that is there again is tried at once.
    private func hurry(_ rule: WatchRule) async { try? await manager.lookAgain(at: rule.destinations) }

    /// Until they are accepted, or each is refused: what is whole now is told of only once.
    ///
    /// - Returns: those that could not be read now.
    private func take(_ files: [FilePath], _ rule: WatchRule) async -> [FilePath] {
        while !Task.isCancelled {
            do throws(SubmitFailure) {
                let files = rule.removal == nil ? files : try await notWaiting(files)
                if files.isEmpty { return [] }
                let acceptance = try await manager.accept(rule.request(files))
                acceptance.incomplete.sentences.forEach(warn)
                return acceptance.unfinished
                    + acceptance.refusals.filter { ["unreadable", "resources"].contains($0.failure.code) }.map(\.path)
            } catch {
                tell(error)
                try? await Task.sleep(for: Self.housekeeping)
            }
        }
        return []
    }

    // MARK: Cards

    private func watchCards() async {
        var there: Set<FilePath> = []
        var runs: [FilePath: Task<Void, Never>] = [:]
        for await _ in MountNotices.stream() {
            // Whoever mounts it may have to make it readable first.
            try? await Task.sleep(for: .milliseconds(500))
            if Task.isCancelled { break }
            let cards = Set(MountedCards.all())
            // Another card may get its path.
            for card in there.subtracting(cards) { runs[card]?.cancel() }
            for card in cards.subtracting(there).sorted(by: { $0.string < $1.string }) {
                guard let rule = rules.first(where: { $0.isOf(card) }) else { continue }
                runs[card] = Task { [before = runs[card]] in
                    await before?.value
                    if !Task.isCancelled { await work(on: card, rule) }
                }
            }
            there = cards
        }
        for run in runs.values { run.cancel() }
        for run in runs.values { await run.value }
    }

    private func work(on card: FilePath, _ rule: WatchRule) async {
        say("card", "The card “\(card)” was put in.")
        await hurry(rule)
        let status = await CardRun(card: card, rule: rule, options: options).run { line in
            Output.line(Printable.line(line))
            Output.flush()
        }
        say("card", CardRun.sentence(card, status))
    }

    // MARK: Saying

    private var tellRules: String {
        let rules = rules.map { rule in
            let place =
                switch rule.place {
                case .folder(let folder): "“\(folder)”"
                case .card(let name): name.map { "cards called “\($0)”" } ?? "cards"
                }
            return "\(place) for \(rule.destinations.joined(separator: ", "))"
        }
        return rules.isEmpty ? "sending what is waiting" : "watching \(rules.joined(separator: "; "))"
    }

    private func say(_ event: String, _ sentence: String) {
        if options.json {
            JSONOutput.print(["event": event, "message": sentence])
        } else if !options.quiet {
            Output.line(Printable.line(sentence))
        }
        Output.flush()
    }

    private func warn(_ sentence: String) {
        if options.json { JSONOutput.print(["event": "warning", "code": "watch", "message": sentence]) }
        Output.trouble(Printable.line(sentence))
    }

    /// Once, however often it is met one after the other.
    private func tell(_ failure: SubmitFailure) {
        guard failure.remedy != .cancelled, lastTrouble.withLock({ $0.replace(with: failure.message) }) else { return }
        ErrorReport.tell(code: failure.code, failure.advised(), about: [:])
    }
}

extension WatchRule {
    /// Whether it is for a card that is mounted there.
    fileprivate func isOf(_ card: FilePath) -> Bool {
        guard case .card(let name) = place else { return false }
        return name == nil || name == card.lastComponent?.string
    }
}

extension String {
    /// - Returns: whether it was another one.
    fileprivate mutating func replace(with text: String) -> Bool {
        defer { self = text }
        return self != text
    }
}
