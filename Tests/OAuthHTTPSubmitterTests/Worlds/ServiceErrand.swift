import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import TestServers

@testable import OAuthHTTPSubmitter

/// What is sent to a drawn service, as the engine sends it: from one process after the other where they die.
struct ServiceErrand: Sendable {
    enum End: Sendable {
        case done(Receipt)
        case failed(SubmitFailure)
    }

    private struct Owed: Sendable {
        var checkpoint: Checkpoint?
        var attempt = 0
        var end: End?
    }

    private static let mostAttempts = 25
    /// With those that count as none.
    private static let mostTries = 150

    let sources: [ScriptedBytes]
    let width: Int
    let album: String?
    let clock: TestClock
    /// Why attempts failed, and what was written down.
    let failures = Locked<[SubmitFailure]>([])
    let checkpoints = Locked<[Checkpoint]>([])

    func item(_ index: Int) -> MediaItem { sources[index].item(named: "photo \(index).jpg", caption: "Fjord") }

    /// - Parameter signIn: someone does.
    /// - Returns: what became of each; `nil` for what came to no end.
    func run(
        over wire: ServiceWire, signIn: @escaping @Sendable () -> Void,
        _ makeSubmitter: (any HTTPTransport) throws -> RecipeSubmitter
    ) async rethrows -> [End?] {
        let ledger = Locked(sources.map { _ in Owed() })
        for _ in 0..<12 {
            let owed = sources.indices.filter { index in ledger.withLock { $0[index].end == nil } }
            if owed.isEmpty { break }
            let process = SendingProcess(wire)
            let submitter = try makeSubmitter(process)
            for group in stride(from: 0, to: owed.count, by: width).map({ owed[$0..<min($0 + width, owed.count)] }) {
                await withTaskGroup { tasks in
                    for index in group { tasks.addTask { await pay(index, to: submitter, process, signIn, ledger) } }
                }
            }
        }
        return ledger.withLock { $0.map(\.end) }
    }

    private func pay(
        _ index: Int, to submitter: RecipeSubmitter, _ process: SendingProcess, _ signIn: @Sendable () -> Void,
        _ ledger: Locked<[Owed]>
    ) async {
        for number in 1...Self.mostTries where !process.isDead {
            let owed = ledger.withLock { ledger in
                ledger[index].attempt += 1
                return ledger[index]
            }
            let context = SubmissionContext(
                submission: "world-\(index)", attempt: owed.attempt, album: album, checkpoint: owed.checkpoint,
                keep: { [checkpoints] checkpoint in
                    // What a dead process writes down nobody reads.
                    if !process.isDead { ledger.withLock { $0[index].checkpoint = checkpoint } }
                    if let checkpoint { checkpoints.withLock { $0.append(checkpoint) } }
                    return .success(())
                })
            let failure: SubmitFailure
            do throws(SubmitFailure) {
                let receipt = try await submitter.submit(item(index), bytes: sources[index], context: context)
                if process.isDead { return }
                return ledger.withLock { $0[index].end = .done(receipt) }
            } catch {
                failure = error
            }
            if process.isDead { return }
            failures.withLock { $0.append(failure) }
            let isLast = number == Self.mostTries
            switch failure.remedy {
            case .giveUp, .sourceLost, .outcomeUnknown, .cancelled:
                return ledger.withLock { $0[index].end = .failed(failure) }
            case .wait(let after):
                clock.move(after)
                // That counts as no attempt.
                ledger.withLock { $0[index].attempt -= owed.attempt > 1 ? 1 : 0 }
            case .hold(let reason, let after):
                clock.move(after ?? .seconds(reason == .full ? 3600 : 60))
            case .renewCredentials:
                signIn()
                clock.move(.seconds(1))
            case .retry(let after), .tryAnother(let after): clock.move(after ?? .seconds(5))
            }
            if owed.attempt >= Self.mostAttempts || isLast {
                return ledger.withLock { $0[index].end = .failed(failure) }
            }
        }
    }
}
