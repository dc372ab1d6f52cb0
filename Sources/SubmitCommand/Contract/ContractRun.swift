internal import Submit
internal import SubmitTesting

/// The contract tried on one destination, promise by promise.
struct ContractRun {
    let type: SubmitterType
    let destination: String
    let cases: [ContractCase]
    let display: ContractDisplay
    let harness: LiveHarness
    /// How long one promise may take.
    let limit: TimeSpan
    private var deadline: Deadline { Deadline(limit: .seconds(limit.seconds)) }

    /// - Returns: whether no promise is broken.
    /// - Throws: why there is no use in trying, or in going on.
    func run() async throws -> Bool {
        let submitter = try await harness.newSubmitter()
        do throws(SubmitFailure) {
            try await begin()
        } catch {
            let end = harness.remains.isEmpty ? "" : " \(rest)"
            throw SubmitFailure(error.remedy, code: error.code, message: "No promise was tried: \(error.message)\(end)")
        }
        var card = ContractCard(type: type, destination: destination, facts: submitter.capabilities)
        for promise in cases where !Task.isCancelled {
            display.showTrying(promise)
            let (verdict, isEndless): (Verdict, Bool)
            do {
                (verdict, isEndless) = try await patientVerdict(on: promise)
            } catch {
                card.end(harness)
                display.show(card)
                throw error
            }
            if Task.isCancelled { break }
            if case .failed(let failure) = verdict, failure.remedy.mayBeAnOutage, let outage = await outage() {
                card.end(harness)
                display.show(card)
                throw outage
            }
            card.count(verdict, on: promise)
            display.show(verdict, on: promise, isFirst: card.isFirst(promise))
            if isEndless {
                card.end(harness, leaving: harness.scratchName + "…")
                display.show(card)
                Output.trouble(
                    "submit: “\(promise)” goes on though it was told to end, so that no other promise was tried. \(rest)"
                )
                return false
            }
        }
        card.end(harness)
        display.show(card)
        return card.broken == 0
    }

    /// What to do about what is left.
    private var rest: String { "If something was stored, it begins with “\(harness.scratchName)”: remove it by hand." }

    private func begin() async throws(SubmitFailure) {
        let outcome = await deadline.run { [harness] () async -> Result<Void, SubmitFailure> in
            do throws(SubmitFailure) {
                return .success(try await harness.begin())
            } catch {
                return .failure(error)
            }
        }
        guard case .done(let result) = outcome else {
            throw SubmitFailure(
                .giveUp, code: "no-end", message: "A first sample came to no end within \(limit) (--limit).")
        }
        try result.get()
    }

    /// Whoever asks for patience in the midst of a promise says nothing of it: it is tried anew when they let us.
    ///
    /// - Throws: what they say, where they have no end of it.
    private func patientVerdict(on promise: ContractCase) async throws -> (Verdict, isEndless: Bool) {
        var pause = Duration.seconds(2)
        while true {
            let (verdict, isEndless) = await verdict(on: promise)
            guard case .failed(let failure) = verdict, case .hold(.throttled, let asked) = failure.remedy else {
                return (verdict, isEndless)
            }
            guard pause <= Self.longestPause, asked ?? .zero <= .seconds(limit.seconds) else { throw failure }
            try? await Task.sleep(for: max(pause, asked ?? .zero))
            if Task.isCancelled { return (verdict, isEndless) }
            pause *= 2
        }
    }

    private static let longestPause = Duration.seconds(16)

    private func verdict(on promise: ContractCase) async -> (Verdict, isEndless: Bool) {
        let outcome = await deadline.run { [harness] () async -> Verdict in
            do {
                switch try await promise.run(harness) {
                case .kept: return .kept
                case .notTried(let why): return .notTried(why)
                }
            } catch let failure as SubmitFailure {
                return .failed(failure)
            } catch {
                return .broken("\(error)")
            }
        }
        let late = Verdict.broken("it came to no end within \(limit) (--limit)")
        switch outcome {
        case .done(let verdict): return (verdict, false)
        case .late: return (late, false)
        case .endless: return (late, true)
        }
    }

    /// Whether the destination has gone away meanwhile, so that every further promise would seem broken.
    private func outage() async -> SubmitFailure? {
        do throws(SubmitFailure) {
            _ = try await harness.newSubmitter().check()
            return nil
        } catch {
            return error
        }
    }
}

/// What came of trying one promise.
enum Verdict: Sendable, Equatable {
    case kept
    case notTried(NotTried)
    /// It was not kept: what was found.
    case broken(String)
    /// The submitter failed where it should not.
    case failed(SubmitFailure)
}
