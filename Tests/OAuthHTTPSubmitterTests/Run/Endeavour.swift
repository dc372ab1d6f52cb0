import Submit
import SubmitConcurrency
import SubmitTesting

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A clock that a test moves.
final class TestClock: Sendable {
    private let seconds = Locked<Int64>(1_800_000_000)

    var now: Timestamp { Timestamp(nanoseconds: seconds.withLock { $0 } * 1_000_000_000) }

    func move(_ time: Duration) { seconds.withLock { $0 += max(1, time.components.seconds) } }
}

/// One submission, tried again as the engine would, and each time by another process.
final class Endeavour: Sendable {
    private struct State {
        var checkpoint: Checkpoint?
        var isDead = false
        var attempt: Task<Result<Receipt, SubmitFailure>, Never>?
        var landed: Int64 = 0
    }

    let recipe: Recipe
    let bytes: ScriptedBytes
    let item: MediaItem
    let clock = TestClock()
    let store = TransientSecrets()
    private let album: String?
    private let state = Locked(State())

    /// Why attempts failed, in their order.
    let failures = Locked<[SubmitFailure]>([])

    init(_ recipe: String, count: Int = 1000, caption: String? = nil, album: String? = nil) throws {
        self.recipe = try Self.read(recipe)
        self.album = album
        bytes = ScriptedBytes(ScriptedBytes.content(count: count))
        item = bytes.item(named: "photo.jpg", caption: caption)
    }

    private static let recipes = Locked<[String: Recipe]>([:])

    /// Read once: most tests have one recipe many times, and reading one takes longer than what they do with it.
    private static func read(_ text: String) throws -> Recipe {
        if let known = recipes.withLock({ $0[text] }) { return known }
        let recipe = try Recipe(text: text, path: "test.yaml")
        recipes.withLock { $0[text] = recipe }
        return recipe
    }

    var checkpoint: Checkpoint? { state.withLock { $0.checkpoint } }

    var landed: Int64 { state.withLock { $0.landed } }

    /// The process ends: what it does from now on reaches nobody.
    func kill() {
        let attempt = state.withLock { state in
            state.isDead = true
            return state.attempt
        }
        attempt?.cancel()
    }

    func submitter(_ service: FakeService) throws(SubmitFailure) -> RecipeSubmitter {
        let settings = DestinationSettings(
            destination: "mine", values: ["server": FakeService.url], secrets: ["api_key": "hunter2-hunter2"],
            secretStore: store)
        return try RecipeSubmitter(recipe, settings, transport: service, clock: { self.clock.now })
    }

    /// One attempt by a process of its own.
    func attempt(_ number: Int = 1, at service: FakeService) async -> Result<Receipt, SubmitFailure> {
        let state = state
        let context = SubmissionContext(
            submission: "job-1", attempt: number, album: album, checkpoint: checkpoint,
            keep: { checkpoint in
                state.withLock { if !$0.isDead { $0.checkpoint = checkpoint } }
                return .success(())
            }, landed: { landed in state.withLock { $0.landed = max($0.landed, landed) } })
        state.withLock { $0.isDead = false }
        let task = Task { () -> Result<Receipt, SubmitFailure> in
            do throws(SubmitFailure) {
                return .success(try await submitter(service).submit(item, bytes: bytes, context: context))
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

    /// Tries until it is done or given up.
    func run(at service: FakeService, attempts: Int = 30) async -> Result<Receipt, SubmitFailure> {
        for number in 1...attempts {
            let outcome = await attempt(number, at: service)
            guard case .failure(let failure) = outcome else { return outcome }
            if state.withLock({ $0.isDead }) { continue }
            failures.withLock { $0.append(failure) }
            switch failure.remedy {
            case .giveUp, .outcomeUnknown, .sourceLost, .cancelled: return outcome
            case .wait(let after): clock.move(after)
            case .retry(let after), .tryAnother(let after), .hold(_, let after): clock.move(after ?? .seconds(1))
            case .renewCredentials: clock.move(.seconds(1))
            }
        }
        return .failure(SubmitFailure(.giveUp, code: "endless", message: "It never ended."))
    }
}
