internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SystemPackage

/// Runs batches to their end, with a display and with signals heard.
struct Runner {
    let session: Session
    let options: RunOptions
    /// Accept only, and leave the sending to `submit resume`.
    var later = false
    /// The batches whose sources are removed when their time has come, besides those that were sent for; `nil`: all.
    var removals: [BatchID]?
    /// The exit status where all is done.
    var atBest = ExitStatus.done
    /// What failed or was cancelled before the run counts in the exit status, too.
    var countsEarlier = true

    private var journal: any Store { session.journal }

    /// Accepts a request and sends its items, and beside them what else is waiting, as far as there is room.
    ///
    /// - Throws: the exit status, unless all is done; the journal's failure.
    func send(_ request: SubmitRequest) async throws {
        let begun = try await session.manager.begin(request)
        var runner = self
        runner.removals = [begun.batch]
        try await runner.run([begun.batch], asked: Set(request.destinations), begun)
    }

    /// Pays what is waiting of `batches`, and beside it what else is waiting, as far as there is room.
    ///
    /// - Parameters:
    ///   - batches: in the order of their urgency. The end of the run, and its exit code, are theirs.
    ///   - asked: destinations that someone asks for now: they are tried though they wait for someone.
    /// - Throws: the exit status, unless all is done; the journal's failure.
    func resume(_ batches: [BatchID], asked: Set<String>) async throws {
        try await run(batches, asked: asked, nil)
    }

    private func run(_ batches: [BatchID], asked: Set<String>, _ begun: BegunRequest?) async throws {
        if let bandwidth = options.bandwidth { session.manager.limit(to: bandwidth) }
        try await session.beginNews()
        let events = Locked<[SubmitEvent]>([])
        let mine = Set(batches)
        let others = Locked(Report.Others())
        let listening = session.manager.listen { event in
            events.withLock { $0.append(event) }
            others.withLock { $0.add(event, unless: mine) }
        }
        defer { listening.cancel() }
        let earlier = countsEarlier ? [] : try await tallies(of: batches)
        let run: SubmitRun? =
            if later { nil } else if let begun { try await session.manager.send(begun, jobs: options.jobs) } else {
                try await session.manager.start(batches, jobs: options.jobs, asked: asked)
            }
        let display = options.makeDisplay()
        let work = Task {
            let accepted = try await pay(run, begun, batches)
            if !later, !Task.isCancelled { try await removeSources(besides: others.withLock { $0.batches }) }
            return accepted
        }
        let advice = "submit: interrupted; `submit resume \(batches.map(String.init).joined(separator: " "))` goes on."
        let interrupts = Interrupts(advice: { advice }, first: { work.cancel() })
        defer { display.leave() }
        let watch = run.map { RunWatch($0, session.manager, batches) }
        let progress = Task { [manager = session.manager, places = session.catalog.places] in
            await UnderWayFile(places).write(for: manager)
        }
        defer { progress.cancel() }
        let begun = ContinuousClock.now
        var stopped: String?
        for await _ in Self.ticks(until: work) {
            show(events, on: display)
            let sent = run?.meters.reduce(0) { $0 + $1.sent } ?? 0
            if stopped == nil, let run, let why = options.stops(after: .now - begun, sent: sent) {
                stopped = why
                run.stop()
            }
            if let watch { await display.tick(watch) }
        }
        show(events, on: display)
        interrupts.end()
        let accepted = try await work.value

        var report = try await report(
            batches, others.withLock { $0 }, accepted, earlier, wasInterrupted: interrupts.wasInterrupted)
        report.stopped = stopped
        let sent = run?.meters.reduce(0) { $0 + $1.sent } ?? 0
        if run != nil { report.pace = (.now - begun, sent) }
        report.quiet = session.manager.quietTimes
        await display.finish(report)
        await session.tellNews()
        if interrupts.wasInterrupted {
            // A batch that got nothing of its own is forgotten.
            let isThere = try await !journal.batches(batches).isEmpty
            Output.trouble(isThere ? advice : "submit: interrupted; `submit resume` goes on.")
        }
        var status = report.status
        if !later, !interrupts.wasInterrupted {
            status = status.worse(
                try await Followers(session, isJSON: options.json, isQuiet: options.quiet)
                    .told(counting: asked))
        }
        if status != .done { throw status }
    }

    /// What was not taken by all acceptances of a run.
    private struct Accepted: Sendable {
        var refused = 0
        var leftBehind = LeftBehindTally()
        var unchanged = UnchangedTally()
        var incomplete = IncompleteTally()
        var datedByFileTime = 0

        mutating func add(_ acceptance: Acceptance) {
            refused += acceptance.refusals.count
            datedByFileTime += acceptance.datedByFileTime
            leftBehind = leftBehind + acceptance.leftBehind
            unchanged = unchanged + acceptance.unchanged
            incomplete = incomplete + acceptance.incomplete
        }
    }

    private func pay(_ run: SubmitRun?, _ begun: BegunRequest?, _ batches: [BatchID]) async throws -> Accepted {
        var accepted = Accepted()
        guard let run else {
            if let begun { accepted.add(try await begun.accept()) }
            return accepted
        }
        guard let begun else { return try await payEarlier(run, batches) }
        // The request's destinations exist. The run doesn't wait for submissions to other destinations.
        Task {
            for await _ in await session.makeDestinations(open: []) {}
            run.look()
        }
        async let acceptance = acceptance(of: begun.request, by: run)
        try await run.finish(patience: .seconds(options.wait))
        accepted.add(try await acceptance)
        return accepted
    }

    /// The acceptance of the request. Files of the request that were already waiting are sent, too.
    private func acceptance(of request: SubmitRequest, by run: SubmitRun) async throws -> Acceptance {
        guard let acceptance = try await run.acceptance else { throw SubmitFailure.cancelled }
        let earlier = acceptance.unchanged.waitingBatches
        if !earlier.isEmpty {
            // It may wait for its disk, which is there.
            try await session.manager.lookAgain(at: request.destinations)
            try await session.manager.start(earlier.sorted(), jobs: options.jobs, asked: Set(request.destinations))
                .finish(patience: .seconds(options.wait))
        }
        return acceptance
    }

    /// Sends batches that were begun earlier, and completes their acceptances.
    private func payEarlier(_ run: SubmitRun, _ batches: [BatchID]) async throws -> Accepted {
        let isBusy = Locked(true)
        async let accepted: Accepted = {
            defer {
                isBusy.withLock { $0 = false }
                run.look()
            }
            // The acceptances may need destinations of plug-in programs, which have to be made first.
            for await _ in await session.makeDestinations(open: batches) {}
            return try await completeAcceptances(of: batches)
        }()
        do {
            try await run.finish(patience: .seconds(options.wait), while: { isBusy.withLock { $0 } })
        } catch {
            _ = try? await accepted
            throw error
        }
        return try await accepted
    }

    /// - Parameter others: what batches were sent for beside those of the run.
    private func removeSources(besides others: [BatchID]) async throws(SubmitFailure) {
        let removals = removals.map { $0 + others }
        let names = try await journal.removalDestinations(batches: removals)
        if names.isEmpty { return }
        try await session.manager.removeSources(of: removals, unusable: session.reach(Set(names)))
    }

    /// Accepts what earlier acceptances were cut off from.
    private func completeAcceptances(of batches: [BatchID]) async throws -> Accepted {
        var all = Accepted()
        for batch in batches where !Task.isCancelled {
            do throws(SubmitFailure) {
                if let more = try await session.manager.completeAcceptance(of: batch) { all.add(more) }
            } catch {
                if error.isOfJournal { throw error }
                let failure = error
                all.refused += 1
                let causes = session.unusable(await session.asked(in: [batch])).map { $1.advised(at: $0) }
                let cause = causes.min() ?? failure.advised()
                ErrorReport.tell(
                    code: failure.code, "The acceptance of batch \(batch) cannot be completed: \(cause)",
                    about: ["batch": batch])
            }
        }
        return all
    }

    /// Some ticks a second, until the work is done.
    private static func ticks(until work: Task<Accepted, any Error>) -> AsyncStream<Void> {
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

    /// Why destinations cannot be used at all.
    private func unusable(_ names: Set<String>) -> [String: String] {
        session.unusable(names).reduce(into: [:]) { $0[$1.key] = $1.value.advised(at: $1.key) }
    }

    private func tallies(of batches: [BatchID]) async throws(SubmitFailure) -> [Tally] {
        var tallies: [Tally] = []
        for batch in batches { tallies += try await journal.tallies(SubmissionSelection(batch: batch)) }
        return tallies
    }

    private func report(
        _ own: [BatchID], _ others: Report.Others, _ accepted: Accepted, _ earlier: [Tally], wasInterrupted: Bool
    ) async throws -> Report {
        let isComplete = try await journal.batches(own).allSatisfy(\.isComplete)
        let tallies = try await tallies(of: own)
        func isNew(_ state: SubmissionState) -> Bool {
            func count(_ tallies: [Tally]) -> Int {
                tallies.lazy.filter { $0.state == state }.reduce(0) { $0 + $1.count }
            }
            return count(tallies) > count(earlier)
        }
        var report = Report(
            batches: own, tallies: tallies, states: try await journal.destinationStates(),
            unusable: unusable(Set(tallies.map(\.destination))), refused: accepted.refused,
            status: .done, isComplete: isComplete, journal: journal)
        (report.leftBehind, report.unchanged) = (accepted.leftBehind, accepted.unchanged)
        report.incomplete = accepted.incomplete
        report.datedByFileTime = accepted.datedByFileTime
        report.earlier = try await journal.states(of: accepted.unchanged.waitingSubmissions)
        report.skipped = try await journal.skipped(own)
        report.proofs = try await journal.proofs(own)
        report.time = .now
        report.others = others
        for batch in others.batches {
            report.others.waiting += try await journal.tallies(SubmissionSelection(batch: batch)).lazy
                .filter { $0.state == .waiting || $0.state == .running }.reduce(0) { $0 + $1.count }
        }
        for (name, tally) in try await journal.waiting(nil) {
            let older = tally.count - report.count(.waiting, at: name) - report.count(.running, at: name)
            if older > 0 { report.older[name] = older }
        }
        report.removals = try await journal.removals(of: own)
        if wasInterrupted {
            report.status = .interrupted
        } else if isNew(.failed) || report.earlierCount(.failed) + report.refused + report.removals.kept > 0 {
            report.status = .failed
        } else if report.waiting + report.earlierWaiting + report.removals.wanted > 0 || !report.isComplete, !later {
            report.status = .waiting
        } else if isNew(.cancelled) || report.earlierCount(.cancelled) > 0 {
            report.status = .cancelled
        } else if report.leftBehind.missed > 0 {
            report.status = .leftBehind
        } else {
            report.status = atBest
        }
        return report
    }
}
