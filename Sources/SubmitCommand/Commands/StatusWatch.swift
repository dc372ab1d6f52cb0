internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal

/// Shows how far everything is that waits, whichever processes send it: until nothing waits any more, or a signal.
///
/// The journal knows what has ended and what is being sent. ``UnderWayFile`` has how far a file has come that another process
/// sends.
struct StatusWatch {
    let journal: Journal
    /// `nil`: all that anything waits in, those that come meanwhile included.
    let batch: BatchID?
    let json: Bool

    func run() async throws {
        let work = Task { try await watch() }
        let interrupts = Interrupts(advice: { "submit: interrupted." }, first: { work.cancel() })
        defer { interrupts.end() }
        do {
            try await work.value
        } catch  where interrupts.wasInterrupted {}
        if interrupts.wasInterrupted { throw ExitStatus.interrupted }
    }

    private let places = AppPaths()

    private func watch() async throws {
        let start = ContinuousClock.now
        let progress = RunProgress()
        let screen = Screen.standard
        var block = LiveBlock(screen)
        var batches: Set<BatchID> = batch.map { [$0] } ?? []
        var last: [String: String] = [:]
        let isLive = !json && Terminal.isThere
        defer {
            block.clear()
            LiveTerminal.end()
        }
        while !Task.isCancelled {
            // What dead processes hold is not running.
            _ = try? await journal.sweep()
            if batch == nil { batches.formUnion(try await journal.unfinishedBatches()) }
            let records = try await journal.batches(batches.sorted())
            let sent = UnderWayFile.read(places)
            let moments = try await moments(records, sent)
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            let standings = progress.standings(moments, at: elapsed)
            if isLive {
                let (columns, rows) = screen.size()
                block.show(
                    DestinationLines(screen: screen, knowsFiles: !sent.isEmpty)
                        .lines(standings, elapsed: elapsed, columns: columns, rows: rows), columns)
            } else {
                tellNews(standings, &last)
            }
            let isOver = moments.allSatisfy { $0.left == 0 } && records.allSatisfy { $0.isComplete || !$0.isRunning }
            if isOver { break }
            try await Task.sleep(for: .seconds(1))
        }
        block.clear()
        let records = batches.isEmpty ? try await journal.openBatches() : try await journal.batches(batches.sorted())
        try await StatusLines(journal: journal, json: json).show(records)
    }

    /// A line for each destination of which anything has changed.
    private func tellNews(_ standings: [RunProgress.Standing], _ last: inout [String: String]) {
        for standing in standings {
            let moment = standing.moment
            // Times change all the time.
            let percent = json ? standing.percent : standing.percent / 10
            let news = "\(moment.ended) \(moment.total) \(moment.files.count) \(percent) \(standing.reason?.code ?? "")"
            guard last.updateValue(news, forKey: moment.name) != news else { continue }
            if json {
                JSONOutput.print(JSONDisplay.object(standing))
            } else {
                let plain = Screen(size: { (200, 24) }, hasColor: false, showsProgress: false, write: { _ in })
                Output.line(DestinationLines(screen: plain, knowsFiles: false).line(standing, columns: 200))
            }
        }
        Output.flush()
    }

    private func moments(
        _ batches: [BatchRecord], _ sent: [SubmissionID: Int64]
    ) async throws -> [DestinationMoment] {
        let numbers = batches.map(\.id)
        let wanted = Set(numbers)
        var moments: [String: DestinationMoment] = [:]
        for number in numbers {
            for tally in try await journal.tallies(SubmissionSelection(batch: number)) {
                moments[tally.destination, default: DestinationMoment(name: tally.destination)].add(tally)
            }
        }
        for skipped in try await journal.skipped(numbers) {
            moments[skipped.destination]?.done -= skipped.count
            moments[skipped.destination]?.skipped += skipped.count
            moments[skipped.destination]?.totalSize -= skipped.bytes
        }
        let running = try await journal.submissions(SubmissionSelection(), in: .running, limit: 200)
        for record in running where wanted.contains(record.batch) {
            let bytes = min(record.content.size, sent[record.id] ?? 0)
            moments[record.destination]?.sent += bytes
            moments[record.destination]?.files.append(
                FileMoment(
                    submission: record.id, name: record.item.name, attempt: record.tries, sent: bytes,
                    size: record.content.size))
        }
        for state in try await journal.destinationStates() { moments[state.name]?.state = state }
        let isRunning = batches.contains(where: \.isRunning)
        for (name, moment) in moments where moment.left > 0 && moment.files.isEmpty && moment.state?.hold == nil {
            var next: SubmissionRecord?
            for number in numbers where next == nil {
                next = try await journal.nextWaiting(SubmissionSelection(batch: number, destination: name))
            }
            if !isRunning {
                moments[name]?.waiting = .nobody
            } else if let next, let due = next.notBefore, due > .now {
                moments[name]?.waiting = .due(due, next.advised ?? "")
            }
        }
        return moments.values.sorted { $0.name < $1.name }
    }
}

extension DestinationMoment {
    fileprivate mutating func add(_ tally: Tally) {
        total += tally.count
        totalSize += tally.bytes
        switch tally.state {
        case .done:
            done += tally.count
            doneSize += tally.bytes
            sent += tally.bytes
        case .failed: failed += tally.count
        case .cancelled: cancelled += tally.count
        case .waiting, .running: leftSize += tally.bytes
        }
    }
}
