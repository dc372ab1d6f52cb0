import Submit
import SubmitStore
import SystemPackage

/// A store, two values on it, three workers, and what is true.
final class LedgerRun {
    let place: StorePlace
    let stores: [any Store]
    var workers: [any StoreWorker] = []
    /// Which worker each of them is; those that died had other numbers.
    var numbers = [0, 1, 2]
    var model: LedgerModel
    /// Up to where each of them has heard what others do.
    private var heard: [NewsMark?] = [nil, nil, nil]
    /// All there ever were.
    private(set) var claims: [ClaimedSubmission] = []

    static let vanished = SubmitFailure(.giveUp, code: "vanished", message: "It is gone.")
    static let condemned = SubmitFailure(.sourceLost, code: "condemned", message: "The source is another.")

    init(_ maker: StoreMaker) async throws {
        place = maker.place()
        stores = [try place.open(), try place.open()]
        model = LedgerModel(now: place.clock.now)
        for number in 0..<3 {
            workers.append(try await stores[number % 2].makeWorker())
            model.news[number] = []
        }
    }

    /// - Returns: what was answered that is not so.
    func perform(_ step: LedgerStep, _ number: Int) async throws -> [String] {
        let store = stores[number % 2]
        switch step {
        case .accept(let items, let destinations, let isRefused):
            try await accept(items, destinations, isRefused, store)
        case .claim(let worker, let destination, let batch, let others, let limit, let inOrder):
            let batch = batch.flatMap { self.batch($0) }
            return try await claim(worker, destination, batch, others: others || batch == nil, limit, inOrder)
        case .settle(let number, let ending, let landed, let fault):
            guard let claim = claim(number) else { break }
            let told =
                if ending == .done, landed == 0, fault == .none {
                    try await store.settle(arrivals: { [Arrival(claim: claim, receipt: LedgerEnding.receipt)] })[0]
                } else {
                    try await store.settle(claim, ending.settlement, landed: landed, fault: fault)
                }
            return differing(told, model.settle(claim, ending, landed, fault))
        case .keep(let number, let byte):
            guard let claim = claim(number) else { break }
            let checkpoint = byte.map { Checkpoint(data: [$0]) }
            return differing(try await store.keep(checkpoint, for: claim), model.keep(checkpoint, claim))
        case .die(let worker): try await die(worker, store)
        case .hear(let worker):
            let (news, heard) = try await workers[worker].news(after: heard[worker])
            self.heard[worker] = heard
            defer { model.news[numbers[worker]] = [] }
            return differing(Set(news.map(\.id)), model.news[numbers[worker]] ?? [])
                + differing(
                    news.map(Self.text),
                    news.compactMap { one in model.index(one.id).map { Self.text(model.submissions[$0]) } })
        case .cancel(let choice):
            let selection = selection(choice)
            let (told, truth) = (try await store.cancel(selection), model.cancel(selection))
            return differing(told.told, truth.told)
                + (place.remembers ? differing(told.cancelled, truth.cancelled) : [])
        case .retry(let choice):
            let selection = selection(choice)
            return differingCount(try await store.retry(selection), model.retry(selection))
        case .takeUp(let destination):
            return differingCount(try await store.takeUp([], at: [destination]), model.takeUp(destination))
        case .owe(let number):
            guard let id = submission(number)?.id else { break }
            let copy = LostCopy(submission: id, outcome: "vanished", finding: Self.vanished, onConflict: .rename)
            return differing(try await store.sendAgain([copy]), model.owe(id, copy) ? [id] : [])
        case .condemn(let number):
            guard let item = submission(number)?.item else { break }
            return differing(
                try await store.condemn(item: item, Self.condemned, key: IdempotencyKey()).map(\.id),
                model.condemn(item, Self.condemned))
        case .wait(let seconds):
            place.clock.advance(by: .seconds(seconds))
            model.now = place.clock.now
        default: try await control(step, store)
        }
        return []
    }

    private func control(_ step: LedgerStep, _ store: any Store) async throws {
        switch step {
        case .pause(let destination):
            try await store.setPaused(true, [destination])
            model.destinations[destination, default: .init()].isPaused = true
        case .resume(let destination):
            try await store.setPaused(false, [destination])
            model.destinations[destination, default: .init()].isPaused = false
        case .hold(let number, let reason, let isProbe):
            guard let claim = claim(number) else { break }
            _ = try await store.hold(
                claim.destination, reason, LedgerEnding.finding, by: claim, isProbe: isProbe, looks: LedgerModel.looks)
            model.hold(claim, reason, isProbe: isProbe)
        case .endHold(let destination):
            try await store.endHold(destination)
            model.destinations[destination]?.hold = nil
        case .lookAgain(let destination, let isAsked):
            try await store.lookAgain(at: [destination], asked: isAsked ? [destination] : [])
            model.lookAgain(destination, isAsked: isAsked)
        case .giveBackLook(let destination):
            try await store.giveBackLook(at: destination)
            model.giveBackLook(destination)
        case .hurry(let destination):
            try await store.hurry([destination])
            model.hurry(destination)
        default: break
        }
    }

    private func accept(_ count: Int, _ destinations: [String], _ isRefused: Bool, _ store: any Store) async throws {
        let items = (0..<count).map { number in
            var item = NewItem.photo("\(number).jpg", size: Int64(number) + 1, to: destinations)
            if isRefused { item.submissions[0].refusal = LedgerEnding.finding }
            return item
        }
        let accepted = try await store.accept(items)
        for worker in workers { try await worker.attend([accepted.batch]) }
        for (item, ids) in zip(items, accepted.submissions) {
            for (waiting, id) in zip(item.submissions, ids) {
                guard let itemID = try await store.record(id)?.itemID else { continue }
                model.submissions.append(
                    LedgerModel.Submission(
                        id: id, item: itemID, batch: accepted.batch, destination: waiting.destination,
                        size: item.item.size,
                        state: waiting.refusal == nil ? .waiting : .failed, code: waiting.refusal?.code))
            }
        }
    }

    private func claim(
        _ worker: Int, _ destination: String, _ batch: BatchID?, others: Bool, _ limit: Int, _ inOrder: Bool
    ) async throws -> [String] {
        let told = try await workers[worker].claim(
            destination, first: batch.map { [$0] } ?? [], others: others, limit: limit, inOrder: inOrder)
        claims += told
        let most = model.most(
            destination, batch: batch, others: others, limit: limit, inOrder: inOrder, by: numbers[worker])
        var complaints = differing(told.count, most)
        let due = model.due(destination)
        let taken = due.filter { one in told.contains { $0.id == one.id } }
        if model.destinations[destination]?.hold == nil {
            for left in due where !taken.contains(where: { $0.id == left.id }) && (others || left.batch == batch) {
                for one in taken where model.isAhead(left, of: one, batch: batch) {
                    complaints.append("\(one.id) was taken before \(left.id)")
                }
            }
        }
        return complaints + model.claim(told, at: destination, by: numbers[worker])
    }

    private func die(_ worker: Int, _ store: any Store) async throws {
        let dead = numbers[worker]
        numbers[worker] = (numbers.max() ?? 0) + 1
        workers[worker] = try await store.makeWorker()
        try await workers[worker].attend(Set(model.submissions.map(\.batch)).sorted())
        heard[worker] = nil
        model.news[numbers[worker]] = []
        let left = model.submissions.filter { $0.worker == dead }.map(\.id)
        model.die(dead)
        if left.isEmpty { return }
        try await store.sweep {
            for id in left where try await store.record(id)?.state == .running { return false }
            return true
        }
    }

    // MARK: Choosing

    /// Of all there ever were; those before the first count from the last.
    private func claim(_ number: Int) -> ClaimedSubmission? {
        if claims.isEmpty { return nil }
        return claims[(number % claims.count + claims.count) % claims.count]
    }

    private func submission(_ number: Int) -> LedgerModel.Submission? {
        model.submissions.isEmpty ? nil : model.submissions[number % model.submissions.count]
    }

    private func batch(_ number: Int) -> BatchID? { submission(number)?.batch }

    private func selection(_ choice: LedgerChoice) -> SubmissionSelection {
        switch choice {
        case .all: SubmissionSelection()
        case .batch(let number): SubmissionSelection(batch: batch(number))
        case .destination(let name): SubmissionSelection(destination: name)
        case .submission(let number): SubmissionSelection(submission: submission(number)?.id)
        }
    }
}
