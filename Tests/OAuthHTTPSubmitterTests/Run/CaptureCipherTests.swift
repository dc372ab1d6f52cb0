import Submit
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

@Suite
struct SealTests {
    private static let recipe = OneStep.recipe("repeat: never\n    say: look at it")
        .replacing("optional: true }", with: "optional: true }, url: { json: /url, optional: true, secret: true }")

    private func coding(_ store: TransientSecrets, submission: String = "job-1") throws -> RunStateCoding {
        RunStateCoding(
            recipe: try Recipe(text: Self.recipe, path: "test.yaml"), seal: StoredKeyCipher(store),
            submission: submission)
    }

    private func state(_ kept: KeptState) -> String {
        switch kept {
        case .state(let state): "\(state.captures)"
        case .nothing: "nothing"
        case .lost: "lost"
        }
    }

    @Test func `a secret capture comes back, in another process too, and does not show`() async throws {
        let store = TransientSecrets()
        var state = RunState()
        state.captures = ["up": ["url": .text("s3cr3t-url")]]
        let checkpoint = try await coding(store).checkpoint(state)
        #expect(!String(decoding: checkpoint.data, as: UTF8.self).contains("s3cr3t"))
        #expect(self.state(try await coding(store).state(checkpoint)).contains("s3cr3t-url"))
    }

    @Test func `without its key, or for another submission, it opens nothing`() async throws {
        let store = TransientSecrets()
        var state = RunState()
        state.captures = ["up": ["url": .text("s3cr3t-url")]]
        let checkpoint = try await coding(store).checkpoint(state)
        #expect(self.state(try await coding(TransientSecrets()).state(checkpoint)) == "nothing")
        #expect(self.state(try await coding(store, submission: "job-2").state(checkpoint)) == "nothing")
        state.committed = 1
        let delicate = try await coding(store).checkpoint(state)
        #expect(self.state(try await coding(TransientSecrets()).state(delicate)) == "lost")
    }

    @Test func `a checkpoint of another recipe is not used, and not forgotten where something was posted`() async throws
    {
        let store = TransientSecrets()
        let other = RunStateCoding(
            recipe: try Recipe(text: Self.recipe + "\n# mended", path: "test.yaml"), seal: StoredKeyCipher(store),
            submission: "job-1")
        var state = RunState()
        #expect(self.state(try await other.state(try await coding(store).checkpoint(state))) == "nothing")
        state.isAboutTo = true
        #expect(self.state(try await other.state(try await coding(store).checkpoint(state))) == "lost")
        #expect(self.state(try await other.state(Checkpoint(data: [1, 2, 3]))) == "lost")
        #expect(self.state(try await other.state(nil)) == "nothing")
    }

    @Test func `what is too much to keep is refused`() async throws {
        var state = RunState()
        state.captures = ["up": ["id": .text(String(repeating: "a", count: 60_000))]]
        let coding = try coding(TransientSecrets())
        await #expect(throws: SubmitFailure.self) { try await coding.checkpoint(state) }
    }
}
