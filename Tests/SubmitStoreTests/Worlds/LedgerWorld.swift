import Submit
import SubmitStore
import TestServers

/// What some processes ask of one store, one after another, while time goes on and workers die.
struct LedgerWorld: DrawnWorld {
    /// Which kind of store.
    var maker: Int
    var steps: [LedgerStep]

    static func drawn(_ seed: UInt64) -> LedgerWorld {
        var numbers = SeededNumbers(seed: seed)
        let maker = Int.random(in: StoreMaker.all.indices, using: &numbers)
        let first = LedgerStep.accept(items: 3, to: LedgerStep.destinations, isRefused: false)
        return LedgerWorld(maker: maker, steps: [first] + (0..<40).map { _ in .drawn(&numbers) })
    }

    var smaller: [LedgerWorld] {
        let parts = [16, 4, 1].flatMap { size in
            stride(from: 0, to: steps.count, by: size).map { $0..<min($0 + size, steps.count) }
        }
        return parts.flatMap { part in changed { $0.steps.removeSubrange(part) } }
    }

    var description: String {
        "LedgerWorld(maker: \(maker), steps: [\(steps.map { ".\($0)" }.joined(separator: ", "))])"
    }

    func run() async throws -> [String] {
        let run = try await LedgerRun(StoreMaker.all[maker])
        for (number, step) in steps.enumerated() {
            let complaints = try await run.perform(step, number) + run.look()
            if !complaints.isEmpty { return ["step \(number), \(step): " + complaints.joined(separator: "; ")] }
        }
        return []
    }
}
