import Foundation
import Submit
import TestServers
import Testing

@testable import ObjectStorageSubmitter

/// Servers that nobody chose, with an oracle that sees what they hold: a machine to be run by hand, with
/// `SUBMIT_WORLDS=1000 SUBMIT_WORLD_SEED=1`.
@Suite struct `An object storage of drawn manners` {
    @Test(.enabled(if: ProcessInfo.processInfo.environment["SUBMIT_WORLDS"] != nil, "is run by hand"))
    func `gets each item once, keeps what others have, and nothing is told that is not so`() async throws {
        for find in await StorageWorld.finds(.drawnWorlds, from: .firstWorld) { Issue.record("\(find)") }
    }
}
