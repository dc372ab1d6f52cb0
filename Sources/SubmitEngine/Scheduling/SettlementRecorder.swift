internal import Logging
internal import Submit
internal import SubmitConcurrency
internal import SubmitStore
internal import Synchronization

/// Writes down what came of a queue's attempts, and tells it.
struct SettlementRecorder: Sendable {
    let destination: Destination
    let store: any Store
    let events: EventHub
    let policy: RetryPolicy
    let activeRuns: ActiveRuns
    /// Rung when the destination works again.
    let wakeUp: AsyncEvent
    let hold = Locked(HoldTracker())
    let deliveries = Locked(RecentDeliveries())
    let cuts = Locked(BodyCuts())

    /// - Returns: whether the destination was found unusable.
    func settle(
        _ operation: SubmissionOperation, _ outcome: Result<Receipt, SubmitFailure>,
        _ interruption: SubmissionOperation.Interruption?
    ) async throws(SubmitFailure) -> Bool {
        let claim = operation.claim
        let note = SubmissionNote(claim)
        switch outcome {
        case .success(let receipt):
            cuts.withLock { $0.forget(claim.id) }
            guard
                try await store.settle(
                    claim, .done(receipt, place: destination.place, facts: operation.progress.facts.withLock { $0 }))
                    != nil
            else {
                if operation.isProbe { hold.withLock { if $0.state == .probing { $0.state = .onHold } } }
                return false
            }
            tellDone(operation, receipt)
            // Only who was sent to find out: what was under way before the hold says nothing of now.
            if operation.isProbe { try await endHold() }
            return false
        case .failure(let failure):
            return try await settle(operation, note, failure, interruption)
        }
    }

    /// The destination works again.
    private func endHold() async throws(SubmitFailure) {
        hold.withLock { if $0.state == .probing { $0.state = .none } }
        try await store.endHold(destination.name)
        events.send(.holdEnded(destination: destination.name))
        wakeUp.signal()
    }

    /// Tells that an item has arrived, which is written down by now.
    func tellDone(_ operation: SubmissionOperation, _ receipt: Receipt) {
        let claim = operation.claim
        for meter in meters(of: claim) { meter.done(receipt, bytes: claim.item.size) }
        events.send(.done(SubmissionNote(claim, recipe: operation.progress.recipe.withLock { $0 }), receipt))
    }

    /// What is known of a submission for which a failure has a remedy. From now on something broke on the way, if it did.
    private func known(
        _ operation: SubmissionOperation, _ failure: SubmitFailure
    ) async throws(SubmitFailure) -> RetryPolicy.Case {
        let claim = operation.claim
        let hasLanded = operation.progress.landed.load(ordering: .relaxed) > claim.landed
        var known = RetryPolicy.Case(
            failures: hasLanded ? 0 : claim.failures,
            age: claim.accepted.duration(to: .now),
            fault: hasLanded ? .none : claim.fault)
        if hasLanded { cuts.withLock { $0.forget(claim.id) } }
        if case .tryAnother = failure.remedy, !hasLanded, let watch = operation.bodyWatch.withLock({ $0 }),
            let offset = watch.cut
        {
            known.cuts = cuts.withLock { $0.add(offset, of: claim.id, wasAsked: watch.asksFirst) }
        }
        if case .tryAnother = failure.remedy, known.fault != .own {
            let all = try await store.arrivals(at: destination.name)
            let wasOpen = deliveries.withLock { $0.broke(inJournal: all) }
            known.isWayOpen = wasOpen && !operation.isProbe
        }
        // One break in the middle of a body is the line's matter.
        let isBreak = operation.bodyWatch.withLock { $0?.cut } != nil && known.cuts < 2
        if case .tryAnother = failure.remedy, known.fault != .none, !known.isWayOpen, !isBreak {
            known.trial = await trial(of: claim)
        }
        return known
    }

    /// Tries the destination with a few bytes right after an item failed there.
    ///
    /// - Returns: `nil` if that isn't possible there, or tells nothing.
    private func trial(of claim: ClaimedSubmission) async -> RetryPolicy.Trial? {
        guard let facet = destination.submitter.facets.trial else { return nil }
        var context = SubmissionContext(claim, journal: store.identity, checkpoint: nil)
        context.logger = events.telemetry.logger.attempting(claim)
        do throws(SubmitFailure) {
            let result = try await withLogger(context.logger) { [context] _ async throws(SubmitFailure) in
                try await facet.trial(after: claim.item, context: context)
            }
            switch result {
            case .stored: return .stored
            case .answered: return .answered
            }
        } catch {
            switch error.remedy {
            case .tryAnother, .hold(.unreachable, _), .hold(.throttled, _): return .failed
            default: return nil
            }
        }
    }

    private func settle(
        _ operation: SubmissionOperation, _ note: SubmissionNote, _ failure: SubmitFailure,
        _ interruption: SubmissionOperation.Interruption?
    ) async throws(SubmitFailure) -> Bool {
        let claim = operation.claim
        let landed = operation.progress.landed.load(ordering: .relaxed)
        let known = try await known(operation, failure)
        let (decision, fault) = policy.decision(after: failure, known, random: .random(in: 0..<1))
        let failure = known.trial.flatMap { failure.blaming(claim.item, at: destination.name, $0) } ?? failure
        if operation.hasBegun.withLock({ $0 }) {
            events.telemetry.logger.debug(
                "attempt failed",
                metadata: .of(note).adding(failure).adding([
                    "rule": .string(policy.rule(of: decision, after: failure, known))
                ]))
        }
        if operation.isProbe {
            if known.trial == .stored {
                try await endHold()
            } else if case .hold = decision {
            } else {
                try await store.giveBackLook(at: destination.name)
            }
        }
        switch (decision, interruption) {
        case (_, .cancelled?), (.cancelled, nil):
            if try await store.settle(claim, .cancelled) != nil {
                cancelled(claim, note)
                try await discard(operation)
            }
        case (.cancelled, .released?):
            let settlement = operation.hasBegun.withLock { $0 } ? Settlement.released : .untried
            let settled = try await store.settle(claim, settlement, landed: landed, fault: .none)
            if settled?.state == .cancelled { cancelled(claim, note) }
        case (.fail, _):
            var failure = failure
            if failure.remedy == .outcomeUnknown { failure.code = SubmitFailure.outcomeUnknownCode }
            if known.cuts >= RetryPolicy.cuts { failure = cut(claim) }
            cuts.withLock { $0.forget(claim.id) }
            guard try await store.settle(claim, .failed(failure), landed: landed, fault: fault) != nil else {
                return false
            }
            for meter in meters(of: claim) { meter.fail(bytes: claim.item.size) }
            events.send(.failed(note, failure))
            switch failure.remedy {
            // Who ran out of attempts or time may be sent on from where it stands, when someone asks for it.
            case .retry, .tryAnother, .wait, .hold: break
            default: try await discard(operation)
            }
            try await condemnOthers(claim, failure)
        case (.wait(let time), _):
            let settled = try await store.settle(
                claim, .waiting(failure, after: time, counts: true), landed: landed, fault: fault)
            tell(settled, claim, note, failure, settled?.notBefore)
        case (.look(let time), _):
            let settled = try await store.settle(
                claim, .waiting(failure, after: time, counts: false), landed: landed, fault: fault)
            tell(settled, claim, note, failure, settled?.notBefore)
        case (.hold(let reason, let asked), _):
            let until = try await hold(operation, reason, asked, failure).hold?.until
            let settled = try await store.settle(
                claim, .waiting(failure, after: .zero, counts: false), landed: landed, fault: fault)
            tell(settled, claim, note, failure, until)
            return true
        }
        return false
    }

    /// Why an item fails whose body the destination never takes beyond the same offset.
    private func cut(_ claim: ClaimedSubmission) -> SubmitFailure {
        SubmitFailure(
            .tryAnother(after: nil), code: "too-large",
            message:
                "“\(destination.name)” ended the connection \(RetryPolicy.cuts) times at about the same point of "
                + "“\(claim.item.name)”. It probably takes no file of \(claim.item.size) bytes: raise the limit of the server or "
                + "its proxy, or send a smaller file, then retry.")
    }

    private func tell(
        _ settled: Settled?, _ claim: ClaimedSubmission, _ note: SubmissionNote, _ failure: SubmitFailure,
        _ until: Timestamp?
    ) {
        if settled?.state == .waiting { events.send(.waiting(note, failure, until: until)) }
        if settled?.state == .cancelled { cancelled(claim, note) }
    }

    private func cancelled(_ claim: ClaimedSubmission, _ note: SubmissionNote) {
        for meter in meters(of: claim) { meter.cancel(bytes: claim.item.size) }
        events.send(.cancelled(note))
    }

    func meters(of claim: ClaimedSubmission) -> [DestinationProgress] {
        activeRuns.meters(of: claim.batch, at: destination.name)
    }

    private func hold(
        _ operation: SubmissionOperation, _ reason: HoldReason?, _ asked: Duration?, _ failure: SubmitFailure
    ) async throws(SubmitFailure) -> DestinationState {
        let policy = policy
        hold.withLock { $0 = HoldTracker(state: .onHold, count: $0.count + 1) }
        let before = try await store.state(of: destination.name)
        // Longer ones than the last are none.
        let looks = (1...32).compactMap {
            policy.look(again: reason, holds: $0, asked: asked, random: .random(in: 0.5..<1))
        }
        let state = try await store.hold(
            destination.name, reason, failure, by: operation.claim, isProbe: operation.isProbe,
            looks: looks.isEmpty ? nil : looks)
        if state != before { events.send(.onHold(state)) }
        return state
    }

    /// A source that is no longer what was accepted is so for every destination.
    private func condemnOthers(
        _ claim: ClaimedSubmission, _ failure: SubmitFailure
    ) async throws(SubmitFailure) {
        guard failure.remedy == .sourceLost else { return }
        for other in try await store.condemn(item: claim.itemID, failure, key: IdempotencyKey()) {
            for meter in activeRuns.meters(of: claim.batch, at: other.destination) {
                meter.fail(bytes: claim.item.size)
            }
            events.send(.failed(SubmissionNote(claim, as: other.id, at: other.destination), failure))
        }
    }

    /// Removes what an attempt left, after its submission was settled by us: another process that holds the claim by
    /// now goes on from the same remains.
    private func discard(_ operation: SubmissionOperation) async throws(SubmitFailure) {
        let checkpoint = operation.progress.checkpoint.withLock { $0 }
        // The attempt was cancelled, and what it left is to be removed all the same.
        let isDiscarded = await Task { [destination, store, events] in
            do throws(SubmitFailure) {
                var context = SubmissionContext(operation.claim, journal: store.identity, checkpoint: checkpoint)
                context.logger = events.telemetry.logger.attempting(operation.claim)
                try await withLogger(context.logger) { [context] _ async throws(SubmitFailure) in
                    try await destination.submitter.discard(operation.claim.item, context: context)
                }
                return true
            } catch {
                return false
            }
        }.value
        if isDiscarded, checkpoint != nil { try await store.discarded(operation.claim.id) }
    }
}

extension SubmitFailure {
    /// The failure of an item that is probably the reason itself; `nil` if the trial doesn't show that.
    fileprivate func blaming(_ item: MediaItem, at destination: String, _ trial: RetryPolicy.Trial) -> SubmitFailure? {
        let (what, where_): (String, String)
        switch trial {
        case .stored:
            (what, where_) = ("did not store “\(item.name)” but took a small file right after it", "the server's log")
        case .answered:
            (what, where_) = (
                "did not store “\(item.name)” but answered a question right after it", "the service's limits"
            )
        case .failed: return nil
        }
        var failure = self
        failure.message =
            "“\(destination)” \(what), so this file is probably the reason: check its name, date and size, and \(where_)."
        return failure
    }
}
