internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SubmitNotifications
internal import SystemPackage

/// `submit card [PATH] --to nas,cloud`
struct Card: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "card",
        abstract: "Send a camera card, prove every copy, and say whether the card is safe to format.",
        discussion: """
            Sends what is new on the card, looks at every file and at every copy of it again, reads back copies that their \
            destination proves less, and ends with “safe to format”, or with what is missing and why. On a terminal it \
            then offers to delete the files that are safe; `--free` does so without asking. A destination that cannot \
            prove its copies gets them, and is not counted.

            Examples:
              submit card
              submit card /media/me/CARD --to nas,cloud
              submit card /media/me/CARD --to nas,cloud --free
            """)

    @OptionGroup var target: TargetOptions

    @OptionGroup var renditions: RenditionOptions

    @Flag(help: "Take hidden files and folders, too.")
    var hidden = false

    @Flag(help: "Take files that are neither photo nor video, too.")
    var anyFile = false

    @Flag(help: "Delete the files from the card when all are safe, without asking.")
    var free = false

    @Flag(help: "Send all of it, though it is the whole machine, holds a destination or has very many files.")
    var yes = false

    @OptionGroup var options: RunOptions

    @Argument(help: "The card's folder. Without: the one card that is mounted.", completion: .directory)
    var path: String?

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let card = try self.card()
        let session = try await Session().adding(foldersOf: target.names, isMeant: yes)
        let destinations = try session.destinations(target.names)
        try await session.confirmDisks(of: destinations, isMeant: yes)
        var request = SubmitRequest(
            paths: [card], destinations: destinations, album: target.album, takesAnyFile: anyFile,
            reach: FileWalk.Reach(takesHidden: hidden), skipsUnchanged: true)
        // All of the card is read in this run, or was when it was sent by it.
        request.trustsMarks = false
        request.rendition = renditions.asked
        try session.manager.check(request)
        let report = CardReport(card: card, options)
        let proofs = try await session.manager.proofs(at: destinations, asked: renditions.asked)
        report.tell(proofs)
        let counted = proofs.filter { if case .never = $0.proof { false } else { true } }.map(\.destination)
        if counted.isEmpty {
            throw SubmitFailure.usage(
                "No card is safe by these destinations, as the lines above say: take another one that gets the originals and "
                    + "proves them, such as a folder, a NAS or an object store.")
        }
        try await WideSources(session: session, isMeant: yes, isCard: true).check(request)

        try await Publishing(session: session, isMeant: yes).check(request)
        let status = try await send(request, session)
        if status == .interrupted { throw status }
        request.destinations = counted
        let (found, wasInterrupted) = try await look(request, session, report)
        report.tellUnsafe()
        if wasInterrupted { throw ExitStatus.interrupted }
        let end: ExitStatus =
            found.isSafe
            ? found.leftBehind.missed > 0 ? .leftBehind : status == .failed ? .failed : .done
            : status == .waiting ? .waiting : .failed
        report.finish(found, places: counted, end)
        if found.isSafeToFormat {
            let names = counted.joined(separator: ", ")
            let news = News(
                .cardSafe, id: "card-safe-\(UUID().uuidString.lowercased())",
                "The card “\(card)” is safe to format: \(Printable.count(found.safe, "file")) at \(names).")
            await session.tellNews { (desk) async throws(SubmitFailure) in try await desk.post(news) }
        }
        if found.isSafe { try await delete(found, at: counted, session, report) }
        if end != .done { throw end }
    }

    private func card() throws(SubmitFailure) -> FilePath {
        guard let path else {
            if free {
                throw .usage("--free deletes files: name the folder of the card that is meant in the same command.")
            }
            return try MountedCards.only()
        }
        guard path != "-", let card = try SourcePaths.resolve([path], separator: 0x0a).first else {
            throw .usage("A card is one folder: name it, as `submit card /media/me/CARD`.")
        }
        return card
    }

    /// Sends what is new, and shows that as every run does.
    private func send(_ request: SubmitRequest, _ session: Session) async throws -> ExitStatus {
        do {
            try await Runner(session: session, options: options).send(request)
            return .done
        } catch let status as ExitStatus {
            return status
        }
    }

    private func look(
        _ request: SubmitRequest, _ session: Session, _ report: CardReport
    ) async throws -> (SafetyReport, wasInterrupted: Bool) {
        let found = Locked(SafetyReport())
        let wasInterrupted = try await session.interruptible {
            let safety = try await session.manager.safety(of: request) { report.show($0) }
            found.withLock { $0 = safety }
        }
        return (found.withLock { $0 }, wasInterrupted)
    }

    private func delete(
        _ found: SafetyReport, at destinations: [String], _ session: Session, _ report: CardReport
    ) async throws {
        guard free || report.asksToDelete(found) else { return }
        let counts = Locked((deleted: 0, kept: 0))
        let listening = session.manager.listen { event in
            if case .sourceKept = event { counts.withLock { $0.kept += 1 } }
            if case .sourceRemoved = event { counts.withLock { $0.deleted += 1 } }
            report.show(event)
        }
        defer { listening.cancel() }
        let wasInterrupted = try await session.interruptible {
            try await session.manager.removeSafeSources(of: found, at: destinations)
        }
        let (deleted, kept) = counts.withLock { $0 }
        report.tellFreed(deleted, kept: kept, wasInterrupted: wasInterrupted)
        if wasInterrupted { throw ExitStatus.interrupted }
        if kept > 0 || deleted < found.safe { throw ExitStatus.failed }
    }
}
