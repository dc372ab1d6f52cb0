internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// Runs batches to their end, with a display and with signals heard.
struct Runner {
    let session: Session
    let options: RunOptions
    /// Accept only, and leave the sending to `submit resume`.
    var later = false
    /// The batches whose sources are removed when their time has come; `nil`: all.
    var removals: [BatchID]?
    /// The exit status where all is done.
    var atBest = ExitStatus.done

    private var journal: Journal { session.journal }

    /// Pays what is owed of `batches`; meanwhile accepts `request` into the first of them.
    ///
    /// - Parameters:
    ///   - own: the batches that are told of one by one. The exit code speaks of all.
    ///   - asked: destinations that someone asks for now: they are tried though they wait for someone.
    /// - Throws: the exit status, unless all is done; the journal's failure.
    func run(
        _ batches: [BatchID], own: [BatchID], asked: Set<String>, accepting request: SubmitRequest? = nil
    ) async throws {
        let events = Locked<[SubmitEvent]>([])
        let mine = Set(own)
        let older = Locked(Report.Older(batches: batches.filter { !mine.contains($0) }))
        session.manager.listen { event in
            events.withLock { $0.append(event) }
            switch event {
            case .done(let note, let receipt) where !mine.contains(note.batch):
                older.withLock { if receipt.isOfSkipped { $0.skipped += 1 } else { $0.done += 1 } }
            case .failed(let note, _) where !mine.contains(note.batch): older.withLock { $0.failed += 1 }
            default: break
            }
        }
        let run = later ? nil : try await session.manager.start(batches, own: own, jobs: options.jobs, asked: asked)
        let display = options.makeDisplay()
        let work = Task {
            let acceptance = try await pay(run, request, batches)
            if !later, !Task.isCancelled { try await removeSources() }
            return acceptance
        }
        let advice = "submit: interrupted; `submit resume \(own.map(String.init).joined(separator: " "))` goes on."
        let interrupts = Interrupts(advice: { advice }, first: { work.cancel() })
        for await _ in Self.ticks(until: work) {
            show(events, on: display)
            if let run { display.tick(run.meters, (try? journal.destinationStates()) ?? []) }
        }
        show(events, on: display)
        interrupts.end()
        let acceptance = try await work.value

        let report = try report(own, older.withLock { $0 }, acceptance, wasInterrupted: interrupts.wasInterrupted)
        display.finish(report)
        if interrupts.wasInterrupted {
            Output.trouble(advice)
        }
        if report.status != .done { throw report.status }
    }

    private func pay(_ run: Run?, _ request: SubmitRequest?, _ batches: [BatchID]) async throws -> Acceptance {
        let isAccepting = Locked(true)
        let isStarting = Locked(run != nil)
        let open = request == nil ? batches : Array(batches.dropFirst())
        let (started, areAllThere) = AsyncStream.makeStream(of: Void.self)
        async let _: Void = {
            if let run {
                await addDestinations(to: run, open: open) {
                    isStarting.withLock { $0 = false }
                    areAllThere.finish()
                    run.look()
                }
            }
        }()
        async let accepted: Acceptance = {
            defer {
                isAccepting.withLock { $0 = false }
                run?.look()
            }
            return try await accept(request, batches, open, after: started)
        }()
        do {
            try await run?.finish(
                patience: .seconds(options.wait), while: { isAccepting.withLock { $0 } || isStarting.withLock { $0 } })
        } catch {
            _ = try? await accepted
            throw error
        }
        return try await accepted
    }

    private func removeSources() async throws(JournalFailure) {
        let names = try journal.removalDestinations(batches: removals)
        if names.isEmpty { return }
        try await session.manager.removeSources(of: removals, unusable: session.reach(Set(names)))
    }

    /// What is owed to a destination is paid as soon as it is there. What else is owed does not wait for that.
    private func addDestinations(to run: Run, open: [BatchID], areAllThere: @Sendable () -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for await destination in session.makeDestinations(open: open) {
                // A journal that fails ends the run.
                try? await run.add([destination])
                group.addTask { _ = try? await session.manager.discardCancelled(at: [destination.name]) }
            }
            areAllThere()
        }
    }

    /// Accepts what is asked for, and completes what earlier acceptances were cut off from: those may be for programs,
    /// which have to be there first.
    private func accept(
        _ request: SubmitRequest?, _ batches: [BatchID], _ open: [BatchID], after started: AsyncStream<Void>
    ) async throws -> Acceptance {
        var all = Acceptance()
        if let request, let batch = batches.first {
            all = try await session.manager.accept(request, into: batch).1
        }
        if later { return all }
        for await _ in started {}
        for batch in open where !Task.isCancelled {
            do throws(SubmitError) {
                guard let more = try await session.manager.completeAcceptance(of: batch) else { continue }
                all.accepted += more.accepted
                all.refused += more.refused
                all.passedOver += more.passedOver
            } catch {
                guard case .failure(let failure) = error else { throw error }
                all.refused += 1
                let cause = session.unusable(session.asked(in: [batch])).values.min() ?? failure.sentence
                Complaint.tell(
                    code: failure.code, "The acceptance of batch \(batch) cannot be completed: \(cause)",
                    about: ["batch": batch])
            }
        }
        return all
    }

    /// Some ticks a second, until the work is done.
    private static func ticks(until work: Task<Acceptance, any Error>) -> AsyncStream<Void> {
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let clock = Task {
            while !Task.isCancelled {
                tick.yield()
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        Task {
            _ = await work.result
            clock.cancel()
            tick.finish()
        }
        return ticks
    }

    /// Shows what has happened since the last time.
    private func show(_ events: Locked<[SubmitEvent]>, on display: any Display) {
        let new = events.withLock { events -> [SubmitEvent] in
            defer { events.removeAll(keepingCapacity: true) }
            return events
        }
        for event in new { display.show(event) }
    }

    private func report(
        _ own: [BatchID], _ older: Report.Older, _ acceptance: Acceptance, wasInterrupted: Bool
    ) throws -> Report {
        var tallies: [Tally] = []
        let isSealed = try journal.batches(own).allSatisfy(\.isSealed)
        for batch in own {
            tallies += try journal.tallies(SubmissionSelection(batch: batch))
        }
        var report = Report(
            batches: own, tallies: tallies, states: try journal.destinationStates(),
            unusable: session.unusable(Set(tallies.map(\.destination))), refused: acceptance.refused,
            passedOver: acceptance.passedOver, status: .done, isSealed: isSealed, journal: journal)
        report.skipped = try journal.skipped(own)
        report.older = older
        for batch in older.batches {
            report.older.waiting += try journal.tallies(SubmissionSelection(batch: batch)).lazy
                .filter { $0.state == .queued || $0.state == .running }.reduce(0) { $0 + $1.count }
        }
        report.removals = try journal.removals(of: own)
        if wasInterrupted {
            report.status = .interrupted
        } else if report.count(.failed) + report.older.failed > 0 || report.refused > 0 || report.removals.kept > 0 {
            report.status = .failed
        } else if report.waiting + report.older.waiting + report.removals.wanted > 0, !later {
            report.status = .waiting
        } else if report.count(.cancelled) > 0 {
            report.status = .cancelled
        } else {
            report.status = atBest
        }
        return report
    }
}
