import Submit
import TestServers
import Testing

@testable import ObjectStorageSubmitter

/// Servers that nobody chose, with an oracle that sees what they hold.
///
/// `SUBMIT_WORLDS=10000 SUBMIT_WORLD_SEED=1` draws more of them, from there on.
@Suite struct `An object storage of drawn manners` {
    @Test func `gets each item once, keeps what others have, and nothing is told that is not so`() async throws {
        for find in await StorageWorld.finds(.drawnWorlds, from: .firstWorld) { Issue.record("\(find)") }
    }

    private static let large = WorldErrand(
        items: [WorldErrand.Item(name: "a.jpg", size: 5000)], policy: .rename, width: 1)

    /// Those in which a promise was broken once, as small as they got.
    private static let found = (0..<12).map { number in
        // Its ETag was believed not to be of our parts, and the object went with them.
        StorageWorld(quirks: [.misleadingETags, .closesLate], errand: large, troubles: [number: .lostAnswer])
    }

    @Test(arguments: found) func `in which a promise was broken keeps it now`(_ world: StorageWorld) async throws {
        #expect(try await world.run() == [])
    }
}
