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

    /// - Returns: whether no promise is broken.
    /// - Throws: why there is no use in trying, or in going on.
    func run() async throws -> Bool {
        let submitter = try await harness.newSubmitter()
        do throws(SubmitFailure) {
            guard try await within(limit, { () async throws(SubmitFailure) in try await harness.begin() }) != nil else {
                throw SubmitFailure(.giveUp, code: "no-end", "A first sample came to no end within \(limit) (--limit).")
            }
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
            switch try await within(limit, { try await promise.run(harness) }) {
            case .kept: return .kept
            case .notTried(let clause): return .notTried(clause)
            case nil: return .broken("it came to no end within \(limit) (--limit)")
            }
        } catch let failure as SubmitFailure {
            return .failed(failure)
        } catch {
            return .broken("\(error)")
        }
    }

    /// - Returns: `nil` where the time ran out.
    private func within<Outcome: Sendable, Failure: Error>(
        _ limit: TimeSpan, _ work: @escaping @Sendable () async throws(Failure) -> Outcome
    ) async throws(Failure) -> Outcome? {
        let first = await withTaskGroup(of: Result<Outcome, Failure>?.self) { group in
            group.addTask {
                do throws(Failure) {
                    return .success(try await work())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(limit.seconds))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        return try first?.get()
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
