import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitRecipes
import SubmitTesting

@testable import OAuthHTTPSubmitter

/// One submission at a stand-in, tried again as the engine would, each time by another process.
final class StandInEndeavour: Sendable {
    /// Makes the submitter of one process.
    typealias Making =
        @Sendable (_ wire: (any HTTPTransport)?, _ clock: @escaping @Sendable () -> Timestamp)
        throws(SubmitFailure) -> RecipeSubmitter

    private struct State {
        var checkpoint: Checkpoint?
        var isDead = false
        var attempt: Task<Result<Receipt, SubmitFailure>, Never>?
    }

    let bytes: ScriptedBytes
    let item: MediaItem
    private let make: Making
    private let clock = TestClock()
    private let album: String?
    private let submission: String
    private let state = Locked(State())

    /// Why attempts failed, in their order; nobody hears of those that were killed.
    let failures = Locked<[SubmitFailure]>([])

    init(
        _ make: @escaping Making, takesCaption: Bool = true, count: Int = 1000, seed: UInt64 = 1,
        name: String = "photo.jpg", caption: String? = "A caption, with “é” & <b>", album: String? = nil,
        submission: String = "job-1"
    ) {
        self.make = make
        self.submission = submission
        self.album = album
        bytes = ScriptedBytes(ScriptedBytes.content(count: count, seed: seed))
        let video = MediaType(kind: .video, mime: "video/mp4", filenameExtension: "mp4")
        item = bytes.item(
            named: name, type: name.hasSuffix(".mp4") ? video : .jpeg, caption: takesCaption ? caption : nil)
    }

    convenience init(
        _ place: StandInPlace, count: Int = 1000, seed: UInt64 = 1, name: String = "photo.jpg",
        caption: String? = "A caption, with “é” & <b>", album: String? = nil, submission: String = "job-1"
    ) {
        self.init(
            { (wire, clock) throws(SubmitFailure) in try place.submitter(over: wire, clock: clock) },
            takesCaption: place.recipe.limits.captionLimit != 0, count: count, seed: seed, name: name, caption: caption,
            album: album, submission: submission)
    }

    var digest: String { item.digests.hexadecimal(.sha256) ?? "" }

    /// The process ends: what it does from now on reaches nobody.
    func kill() {
        let attempt = state.withLock { state in
            state.isDead = true
            return state.attempt
        }
        attempt?.cancel()
    }

    private func attempt(_ number: Int, _ wire: (any HTTPTransport)?) async -> Result<Receipt, SubmitFailure> {
        let state = state
        let context = SubmissionContext(
            submission: submission, attempt: number, album: album, checkpoint: state.withLock { $0.checkpoint },
            keep: { kept in
                state.withLock { if !$0.isDead { $0.checkpoint = kept } }
                return .success(())
            }, landed: { _ in })
        state.withLock { $0.isDead = false }
        let (clock, make) = (clock, make)
        let task = Task { [item, bytes] () -> Result<Receipt, SubmitFailure> in
            do throws(SubmitFailure) {
                return .success(try await make(wire, { clock.now }).submit(item, bytes: bytes, context: context))
            } catch {
                return .failure(error)
            }
        }
        let isDead = state.withLock { state in
            state.attempt = task
            return state.isDead
        }
        // It may have died before anyone could cancel it.
        if isDead { task.cancel() }
        return await task.value
    }

    /// Removes what attempts left, as the engine does when a submission is given up.
    func discard() async throws {
        let context = SubmissionContext(
            submission: submission, attempt: 1, album: album, checkpoint: state.withLock { $0.checkpoint })
        try await make(nil, { [clock] in clock.now }).discard(item, context: context)
    }

    /// Tries until it is done, or nobody can go on.
    ///
    /// - Parameter signsIn: someone does whenever that is asked for.
    func run(
        attempts: Int = 20, over wire: (any HTTPTransport)? = nil, signsIn: Bool = false
    ) async -> Result<Receipt, SubmitFailure> {
        for number in 1...attempts {
            let outcome = await attempt(number, wire)
            guard case .failure(let failure) = outcome else { return outcome }
            if state.withLock({ $0.isDead }) { continue }
            failures.withLock { $0.append(failure) }
            switch failure.remedy {
            case .giveUp, .outcomeUnknown, .sourceLost, .cancelled: return .failure(failure)
            case .renewCredentials:
                guard signsIn else { return .failure(failure) }
                clock.move(.seconds(1))
            case .wait(let after): clock.move(after)
            case .retry(let after), .tryAnother(let after), .hold(_, let after): clock.move(after ?? .seconds(1))
            }
        }
        return .failure(SubmitFailure(.giveUp, code: "endless", message: "It never ended."))
    }
}
