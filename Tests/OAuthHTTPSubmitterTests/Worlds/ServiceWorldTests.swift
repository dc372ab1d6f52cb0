import TestServers
import Testing

@testable import OAuthHTTPSubmitter

/// Services that nobody chose, with an oracle that sees what they hold.
///
/// `SUBMIT_WORLDS=10000 SUBMIT_WORLD_SEED=1` draws more of them, from there on.
@Suite struct `A service of drawn manners` {
    @Test func `gets each item once by a true recipe, and nothing is told that is not so`() async throws {
        for find in await ServiceWorld.finds(.drawnWorlds, from: .firstWorld) { Issue.record("\(find)") }
    }

    /// Those in which a promise was broken once, as small as they got.
    private static let found = [
        // Photos were given up for an answer that was cut off.
        ServiceWorld(features: ServiceFeatures(way: .draft), sizes: [300], troubles: [0: .emptyAfter]),
        ServiceWorld(features: ServiceFeatures(), manners: [.processes], sizes: [300], troubles: [0: .emptyAfter]),
        // And for a comment that a cache had written into one.
        ServiceWorld(
            features: ServiceFeatures(way: .draft, means: .bytes, looksBefore: true), manners: [.commentsAfter],
            sizes: [300, 301, 302]),
        // A page in place of what is looked into counted as “not there”: the photo was sent again.
        ServiceWorld(
            features: ServiceFeatures(means: .lookInList), sizes: [300], troubles: [0: .lostAnswer, 1: .page200]),
        ServiceWorld(
            features: ServiceFeatures(means: .look), sizes: [300], troubles: [0: .lostAnswer, 1: .emptyAfter]),
        // So did an error that came with 200.
        ServiceWorld(
            features: ServiceFeatures(means: .look), manners: [.errorsInside], sizes: [300],
            troubles: [0: .lostAnswer, 1: .status500]),
        // It was told as refused, and was there.
        ServiceWorld(features: ServiceFeatures(means: .look), manners: [.refusesAfterStoring], sizes: [300, 301]),
        ServiceWorld(
            features: ServiceFeatures(means: .look), manners: [.errorsInside, .refusesAfterStoring, .showsLate],
            sizes: [300, 301]),
        // An answer elsewhere was never asked for, even where the recipe expects it.
        ServiceWorld(features: ServiceFeatures(answer: .seeOther), sizes: [300]),
        // Each session was left before the service knew of it.
        ServiceWorld(
            features: ServiceFeatures(way: .session, means: .bytes), manners: [.sessionsShowLate], sizes: [300]),
        // A cache before the service asked for patience after the service had stored it: it was stored twice.
        ServiceWorld(features: ServiceFeatures(means: .look), sizes: [300], troubles: [0: .status503PageAfter]),
        // The same by an error that came with 200.
        ServiceWorld(
            features: ServiceFeatures(means: .look), manners: [.errorsInside], sizes: [300],
            troubles: [0: .status500After]),
        // An empty list of albums was taken for a wrong address, and an error in place of one for no albums.
        ServiceWorld(
            features: ServiceFeatures(means: .key, albums: .listed, pages: .number), sizes: [300], albums: 3,
            troubles: [0: .emptyAfter]),
        ServiceWorld(
            features: ServiceFeatures(means: .key, albums: .listed, pages: .number), manners: [.errorsInside],
            sizes: [300],
            albums: 5, troubles: [1: .status503]),
        // How far a session was once was taken for how far it is.
        ServiceWorld(
            features: ServiceFeatures(way: .session, means: .look), sizes: [5000],
            troubles: [4: .brokenBefore, 7: .brokenBefore, 8: .page200]),
        // A session was given up that did not know the piece which it had refused by an answer whose words were lost.
        ServiceWorld(
            features: ServiceFeatures(way: .session, means: .look), manners: [.errorsInside, .sessionsShowLate],
            sizes: [300, 300], troubles: [6: .emptyAfter]),
    ]

    @Test(arguments: found) func `in which a promise was broken keeps it now`(_ world: ServiceWorld) async throws {
        #expect(try await world.run() == [])
    }
}
