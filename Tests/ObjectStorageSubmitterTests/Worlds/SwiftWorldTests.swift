import Submit
import TestServers
import Testing

@testable import ObjectStorageSubmitter

/// Clusters of OpenStack Swift that nobody chose, with an oracle that sees what they hold.
///
/// `SUBMIT_WORLDS=10000 SUBMIT_WORLD_SEED=1` draws more of them, from there on.
@Suite struct `An OpenStack Swift of drawn manners` {
    @Test func `gets each item once, keeps what others have, and nothing is told that is not so`() async throws {
        for find in await SwiftWorld.finds(.drawnWorlds, from: .firstWorld) { Issue.record("\(find)") }
    }

    private static func errand(_ items: WorldErrand.Item..., policy: ConflictPolicy = .rename) -> WorldErrand {
        WorldErrand(items: items, policy: policy, width: 1)
    }

    private static let large = errand(WorldErrand.Item(name: "a.jpg", size: 100_000))

    /// Those in which a promise was broken once, as small as they got.
    private static let found = [
        // A photo was stored twice: under the next number, where it wasn't visible yet, and then under its own name.
        SwiftWorld(
            quirks: [.storesAnd503],
            errand: WorldErrand(
                items: [
                    WorldErrand.Item(name: "ocean?.jpg", size: 300), WorldErrand.Item(name: "ocean?.jpg", size: 5001),
                ], policy: .rename, width: 2)),
        // Segments stayed and nothing was gone on with where the cluster lists fewer at once than were asked for.
        SwiftWorld(quirks: [.listsLess], errand: large, troubles: [7: .status500]),
        SwiftWorld(
            quirks: [.listsLess], errand: errand(WorldErrand.Item(name: "a.jpg", size: 300), policy: .overwrite)),
        // A photo was given up for what the cluster has against the account.
        SwiftWorld(errand: large, clusterTroubles: [9: .blacklisted]),
        // The list of segments was stored in place of the video, by a cluster that does not say what it knows.
        SwiftWorld(quirks: [.hidesInfo, .noSegments], errand: large, clusterTroubles: [12: .slowDown]),
        SwiftWorld(quirks: [.hidesInfo, .noSegments], errand: large),
        // The same, where it said so between the segments and their list, and its clock let nothing be removed.
        SwiftWorld(
            quirks: [.lateClock, .noSegments], errand: errand(WorldErrand.Item(name: "a.jpg", size: 5000)),
            troubles: [2: .status500]),
        // A video was given up as if the container were not there, where a segment was gone.
        SwiftWorld(quirks: [.trustsManifests], errand: large, clusterTroubles: [9: .losesSegment]),
        // A segment that came damaged stayed, as the cluster said yes to the next one and stored nothing.
        SwiftWorld(
            quirks: [.damagesOnce, .lateClock, .trustsManifests],
            errand: errand(WorldErrand.Item(name: "b.jpg", size: 300), WorldErrand.Item(name: "a.jpg", size: 5002))),
        // Each attempt stored one more copy under one more name, where what arrives is damaged and shows late.
        SwiftWorld(
            quirks: [.damagesOnce, .headsLag],
            errand: WorldErrand(
                items: [300, 2, 302, 303].map { WorldErrand.Item(name: "ocean?.jpg", size: $0) }, policy: .rename,
                width: 1)),
    ]

    @Test(arguments: found) func `in which a promise was broken keeps it now`(_ world: SwiftWorld) async throws {
        #expect(try await world.run() == [])
    }
}
