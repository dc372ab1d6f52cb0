internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// One line a destination that is written over while the run goes on, and troubles above them.
final class LiveDisplay: Display {
    private var linesShown = 0
    private var rates: [String: Rate] = [:]
    private var troubles = 0
    private var lines: EventLines
    private let isVerbose: Bool
    private let start = ContinuousClock.now
    /// Troubles shown one by one; the table tells of the others.
    private let mostTroubles = 20

    /// - Parameter isVerbose: a line for each thing that happens, above those of the destinations.
    init(isVerbose: Bool = false) {
        self.isVerbose = isVerbose
        lines = EventLines(isVerbose: isVerbose)
    }

    func show(_ event: SubmitEvent) {
        guard let line = lines.line(event), line.isTrouble || isVerbose else { return }
        if line.isTrouble { troubles += 1 }
        guard isVerbose || troubles <= mostTroubles else { return }
        erase()
        let text = Printable.line(line.text)
        print(line.isTrouble ? Terminal.styled(text, .bad) : text)
    }

    func tick(_ meters: [DestinationProgress], _ states: [DestinationState]) {
        erase()
        let waiting = Dictionary(states.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        let shown = meters.filter { $0.total > 0 }
        let nameWidth = min(20, shown.map { Printable.width($0.destination) }.max() ?? 0)
        for meter in shown {
            let line = self.line(meter, waiting[meter.destination], nameWidth)
            print(Printable.fit(line, max(20, Terminal.columns - 1), fills: false))
        }
        linesShown = shown.count
        Output.flush()
    }

    func finish(_ report: Report) async {
        erase()
        await ReportTable(report).print()
        await Summary(report).print()
    }

    private func erase() {
        guard linesShown > 0 else { return }
        Output.raw("\u{1b}[\(linesShown)A\u{1b}[J")
        linesShown = 0
    }

    private func line(_ meter: DestinationProgress, _ state: DestinationState?, _ nameWidth: Int) -> String {
        let ended = meter.done + meter.skipped + meter.failed + meter.cancelled
        var parts = [
            "\(ended) of \(meter.total)", "\(Printable.bytes(meter.doneSize)) of \(Printable.bytes(meter.totalSize))",
        ]
        if meter.skipped > 0 { parts.append("\(meter.skipped) skipped") }
        if meter.failed > 0 { parts.append("\(meter.failed) failed") }
        if state?.isPaused == true {
            parts.append("paused")
        } else if let why = state?.advised {
            parts.append("on hold: \(why)")
        } else if ended < meter.total {
            let rate = rates[meter.destination, default: Rate()].update(meter.sent)
            rates[meter.destination]?.last = meter.sent
            parts.append("\(Printable.bytes(Int64(rate)))/s")
            let left = Double(meter.totalSize - meter.doneSize)
            if rate > 1, left > 0 { parts.append("\(Printable.time(seconds: left / rate)) left") }
        }
        return "\(Printable.fit(meter.destination, nameWidth))  \(parts.joined(separator: "  "))"
    }

    /// Bytes a second, smoothed over some seconds.
    private struct Rate {
        var last: Int64 = 0
        private var value: Double?
        private var time = ContinuousClock.now

        init() {}

        mutating func update(_ sent: Int64) -> Double {
            let now = ContinuousClock.now
            let seconds = Double((now - time).components.attoseconds) / 1e18 + Double((now - time).components.seconds)
            guard seconds > 0.05 else { return value ?? 0 }
            let momentary = Double(sent - last) / seconds
            let weight = min(1, seconds / 3)
            value = (value ?? momentary) * (1 - weight) + momentary * weight
            (last, time) = (sent, now)
            return value ?? 0
        }
    }
}
