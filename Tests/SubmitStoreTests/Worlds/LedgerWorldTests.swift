import SubmitStore
import TestServers
import Testing

/// Sequences of verbs that nobody chose, by workers that die, with an oracle that knows what is true.
///
/// `SUBMIT_WORLDS=10000 SUBMIT_WORLD_SEED=1` draws a twelfth as many, from there on: each is 41 steps, after each of which all
/// is looked at.
@Suite struct `A ledger of drawn steps` {
    @Test func `tells after each what is true`() async throws {
        for find in await LedgerWorld.finds(max(1, .drawnWorlds / 12), from: .firstWorld) { Issue.record("\(find)") }
    }

    /// Those in which a promise was broken once, as small as they got.
    private static let found = [
        // What had failed by itself and was waiting again was condemned and not told of.
        LedgerWorld(
            maker: 0,
            steps: [
                .accept(items: 1, to: ["a", "b"], isRefused: false),
                .claim(worker: 2, at: "a", batch: nil, others: true, limit: 1, inOrder: false),
                .settle(claim: 0, .failed, landed: 3, .none), .retry(.all), .condemn(submission: 0),
            ])
    ]

    @Test(arguments: found) func `in which a promise was broken keeps it now`(_ world: LedgerWorld) async throws {
        #expect(try await world.run() == [])
    }
}
