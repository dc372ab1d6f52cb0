internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// Lines on a terminal that are written over while the run goes on, and troubles above them.
final class LiveDisplay: Display {
    private let screen: Screen
    private let isVerbose: Bool
    private var block: LiveBlock
    private var lines: EventLines
    private let progress = RunProgress()
    private var taskbar: TaskbarProgress?
    private var mayTryAgain = 0
    private let start = ContinuousClock.now
    private let suspension: Suspension?
    /// Attempts that failed and are tried again are shown one by one up to so many; the lines say how many there are.
    private let mostAgain = 20

    /// - Parameter isVerbose: a line for each thing that happens, above those of the destinations.
    init(isVerbose: Bool = false, on screen: Screen = .standard, suspends: Bool = true) {
        self.isVerbose = isVerbose
        self.screen = screen
        block = LiveBlock(screen)
        lines = EventLines(isVerbose: isVerbose, gathersAlike: true)
        suspension = suspends ? Suspension() : nil
    }

    private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

    func show(_ event: SubmitEvent) {
        progress.heed(event, at: elapsed)
        guard let line = lines.line(event), line.isTrouble || isVerbose else { return }
        if case .waiting = event, !isVerbose {
            mayTryAgain += 1
            guard mayTryAgain <= mostAgain else { return }
        }
        block.clear()
        let text = Printable.wrapped(Printable.line(line.text), screen.size().columns)
        screen.write((line.isTrouble ? screen.styled(text, .bad) : text) + "\n")
    }

    func tick(_ watch: RunWatch) async { paint(await watch.moment(), at: elapsed) }

    /// - Parameter time: seconds since the run began.
    func paint(_ moments: [DestinationMoment], at time: Double) {
        let standings = progress.standings(moments, at: time)
        let (columns, rows) = screen.size()
        block.show(
            DestinationLines(screen: screen).lines(standings, elapsed: time, columns: columns, rows: rows), columns)
        tell(standings)
    }

    private func tell(_ standings: [RunProgress.Standing]) {
        guard screen.showsProgress, !standings.isEmpty else { return }
        let open = standings.filter { $0.moment.left > 0 }
        let kind: TaskbarProgress.Kind =
            !open.isEmpty && open.allSatisfy { $0.reason?.isStanding == true }
            ? .onHold : standings.contains { $0.moment.failed > 0 } ? .failed : .going
        let now = TaskbarProgress(kind: kind, percent: standings.map(\.percent).min() ?? 0)
        guard now != taskbar else { return }
        taskbar = now
        LiveTerminal.atEnd(TaskbarProgress.none)
        screen.write(now.text)
    }

    func finish(_ report: Report) async {
        leave()
        for sentence in lines.rest + report.incomplete.sentences {
            screen.write(screen.styled(Printable.wrapped(sentence, screen.size().columns), .bad) + "\n")
        }
        await Summary(report).print()
    }

    func leave() {
        block.clear()
        if taskbar != nil { screen.write(TaskbarProgress.none) }
        taskbar = nil
        suspension?.end()
        LiveTerminal.end()
    }
}
