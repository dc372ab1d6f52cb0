import TestServers
import Testing

/// File systems that nobody chose, from which photos are read, with an oracle that knows what each photo has ever been.
@Suite struct `A source of drawn manners` {
    @Test func `is copied as it was accepted, or told as lost, changed or unreadable`() async throws {
        for find in await SourceWorld.finds(.drawnWorlds, from: .firstWorld) { Issue.record("\(find)") }
    }

    /// Those in which a promise was broken once, as small as they got.
    private static let found: [SourceWorld] =
        [
            // A part of a photo, or nothing of it, was told as the photo.
            SourceWorld(manners: [.tellsLess]), SourceWorld(manners: [.tellsNothing], takesAnyFile: true),
            SourceWorld(manners: [.tellsLess], sizes: [300, 300], troubles: [6: .eagain]),
            // What is still there was told as removed.
            SourceWorld(manners: [.numbersAnew]),
        ]
        // A share that did not answer once failed the submission for good, as a file that is none or cannot be read, or made
        // its source a removed one.
        + (4..<20).map { SourceWorld(troubles: [$0: .estale]) }

    @Test(arguments: found) func `in which a promise was broken keeps it now`(_ world: SourceWorld) async throws {
        #expect(try await world.run() == [])
    }
}
