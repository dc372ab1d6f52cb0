import Submit
import SubmitStore

extension LedgerRun {
    /// - Returns: where the store says something else than is true.
    func look() async throws -> [String] {
        var complaints: [String] = []
        let store = stores[0]
        let records = try await stores[1].submissions(SubmissionSelection())
        complaints += differing(records.map(Self.text), model.submissions.map(Self.text))
        for one in model.submissions {
            let told = try await store.attempts(of: one.id)
            complaints += differing(
                told.map { "\($0.number) \($0.outcome)" },
                one.attempts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
        }
        var tallies: [String: [Int64]] = [:]
        for one in model.submissions {
            let place = "\(one.batch) \(one.destination) \(one.state)"
            tallies[place, default: [0, 0]][0] += 1
            tallies[place, default: [0, 0]][1] += one.size
        }
        let told = try await store.tallies(SubmissionSelection()).map {
            ("\($0.batch) \($0.destination) \($0.state)", [Int64($0.count), $0.bytes])
        }
        complaints += differing(Dictionary(told) { $0 + $1 }, tallies)
        for destination in LedgerStep.destinations { complaints += try await look(at: destination) }
        for claim in claims {
            guard let one = model.submissions.first(where: { $0.id == claim.id && $0.fence == claim.fence }),
                one.worker != nil
            else { continue }
            let isPaused = model.destinations[one.destination]?.isPaused ?? false
            complaints += differing(
                try await store.objection(to: claim), one.isCancelled ? .cancelled : isPaused ? .paused : nil)
        }
        return complaints
    }

    private func look(at destination: String) async throws -> [String] {
        var complaints: [String] = []
        let (state, wait) = try await stores[1].opening(of: destination)
        complaints += differing(wait, model.opening(destination))
        complaints += differing(state.hold?.count, model.destinations[destination]?.hold?.count)
        let ours = model.submissions.filter { $0.destination == destination }
        for (worker, number) in zip(workers, numbers) {
            let held = try await worker.held(at: destination)
            let truth = ours.filter { $0.worker == number }
            complaints += differing(held.map { [$0.id.rawValue, $0.fence] }, truth.map { [$0.id.rawValue, $0.fence] })
            complaints += differing(held.map(\.checkpoint), truth.map(\.checkpoint))
            complaints += differing(
                Set(try await worker.cancelledClaims()),
                Set(model.submissions.filter { $0.worker == number && $0.isCancelled }.map(\.id)))
        }
        let first = ours.filter { $0.state == .waiting }.map { $0.notBefore ?? model.now }.min()
        complaints += differing(
            try await workers[0].nextDue(destination, of: nil), first.map { max(.zero, model.now.duration(to: $0)) })
        return complaints
    }

    static func text(_ record: SubmissionRecord) -> String {
        let time = record.state == .waiting ? record.notBefore : nil
        return "\(record.id) \(record.state) \(record.tries) \(String(describing: time)) \(record.code ?? "")"
    }

    static func text(_ one: LedgerModel.Submission) -> String {
        let time = one.state == .waiting ? one.notBefore : nil
        return "\(one.id) \(one.state) \(one.tries) \(String(describing: time)) \(one.code ?? "")"
    }

    func differing<Value: Equatable>(_ told: Value, _ truth: Value) -> [String] {
        told == truth ? [] : ["told \(told), and it is \(truth)"]
    }

    func differingCount(_ told: Int, _ truth: Int) -> [String] {
        place.remembers ? differing(told, truth) : []
    }
}
