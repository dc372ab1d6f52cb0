import Foundation
import Submit
import TestServers
import Testing

@testable import WebDAVSubmitter

/// Servers that nobody chose, with an oracle that sees what they hold.
///
/// `SUBMIT_WORLDS=10000 SUBMIT_WORLD_SEED=1` draws more of them, from there on.
@Suite struct `A WebDAV server of drawn manners` {
    @Test func `gets each item once, keeps what others have, and nothing is told that is not so`() async throws {
        for find in await DAVWorld.finds(.drawnWorlds, from: .firstWorld) { Issue.record("\(find)") }
    }

    private static func errand(_ items: WorldErrand.Item..., policy: ConflictPolicy = .rename, width: Int = 1) -> WorldErrand {
        WorldErrand(items: items, policy: policy, width: width)
    }

    private static let one = errand(WorldErrand.Item(name: "a.jpg", size: 300))

    /// Those in which a promise was broken once, as small as they got.
    private static let found = [
        // Another photo of ours was replaced by one whose name differs by case.
        DAVWorld(
            manners: [.foldsCase],
            errand: errand(
                WorldErrand.Item(name: "a.jpg", size: 300), WorldErrand.Item(name: "A.JPG", size: 301), policy: .overwrite)),
        // Scratch files stayed where their removal was refused once.
        DAVWorld(errand: one, troubles: [61: .status500]), DAVWorld(errand: one, troubles: [61: .status429]),
        DAVWorld(manners: [.hidesDotfiles, .takesContentRange], errand: one, troubles: [48: .status503, 69: .status500]),
        // The same where they were to be removed without the lock that is demanded.
        DAVWorld(manners: [.demandsLocks428], errand: one, troubles: [49: .brokenMidway]),
        DAVWorld(manners: [.demandsLocks428], errand: one, troubles: [62: .killedAfter]),
        // A lock that was not let go of kept the next item out.
        DAVWorld(
            manners: [.demandsLocks, .ignoresOverwrite, .movesNowhere204],
            errand: errand(
                WorldErrand.Item(name: "#1.jpg", size: 300), WorldErrand.Item(name: "a.jpg", size: 301), width: 3),
            troubles: [91: .killedAfter, 148: .brokenMidway, 192: .status500, 308: .status423]),
    ]

    @Test(arguments: found) func `in which a promise was broken keeps it now`(_ world: DAVWorld) async throws {
        #expect(try await world.run() == [])
    }
}
