internal import Submit
internal import SubmitTesting

/// The contract tried on one destination, promise by promise.
struct ContractRun {
    let type: SubmitterType
    let destination: String
    let cases: [ContractCase]
    let display: ContractDisplay
    let harness: LiveHarness

    /// - Returns: whether no promise is broken.
    /// - Throws: why there is no use in trying, or in going on.
    func run() async throws -> Bool {
        let submitter = try await harness.newSubmitter()
        do throws(SubmitFailure) {
            try await harness.begin()
        } catch {
            throw SubmitFailure(error.remedy, code: error.code, "No promise was tried: \(error.sentence)")
        }
        var card = ContractCard(type: type, destination: destination, facts: submitter.capabilities)
        for promise in cases where !Task.isCancelled {
            display.showTrying(promise)
            let verdict = await verdict(on: promise)
            if Task.isCancelled { break }
            if case .failed(let failure) = verdict, case .park = failure.remedy, let outage = await outage() {
                card.end(harness)
                display.show(card)
                throw outage
            }
            card.count(verdict, on: promise)
            display.show(verdict, on: promise)
        }
        card.end(harness)
        display.show(card)
        return card.broken == 0
    }

    private func verdict(on promise: ContractCase) async -> Verdict {
        do {
            switch try await promise.run(harness) {
            case .kept: return .kept
            case .notTried(let clause): return .notTried(clause)
            }
        } catch let failure as SubmitFailure {
            return .failed(failure)
        } catch {
            return .broken("\(error)")
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
enum Verdict {
    case kept
    case notTried(String)
    /// It was not kept: what was found.
    case broken(String)
    /// The submitter failed where it should not.
    case failed(SubmitFailure)
}
