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

    private static func errand(_ size: Int, policy: ConflictPolicy = .rename) -> WorldErrand {
        WorldErrand(items: [WorldErrand.Item(name: "a.jpg", size: size)], policy: policy, width: 1)
    }

    /// Those in which a promise was broken once, as small as they got.
    private static let found =
        (0..<12).map { number in
            // Its ETag was believed not to be of our parts, and the object went with them.
            StorageWorld(
                quirks: [.misleadingETags, .closesLate], errand: errand(5000), troubles: [number: .lostAnswer])
        } + [
            // A second upload was begun, and stayed open for ever where nobody knew what its end takes along.
            StorageWorld(quirks: [.headsLag], errand: errand(100_000)),
            StorageWorld(quirks: [.storesAnd503], errand: errand(5000)),
            StorageWorld(quirks: [.hidesWhileCompleting], errand: errand(5000)),
            // An audit told as damaged what was not, by an ETag that looks like an MD5.
            StorageWorld(manner: .plainSink, quirks: [.etagsDifferOnHead], errand: errand(300)),
            // What was there failed for good, as an upload beside it did not end.
            StorageWorld(
                quirks: [.abortsNever, .storesAnd503], canReadBack: true, isKnown: true, errand: errand(5000)),
            // Parts were verified, and nobody knew whether the object has them all.
            StorageWorld(quirks: [.headsWithoutLength, .storesLess], errand: errand(100_000)),
            // What was there was removed, and sent again, for ever: nobody told how large it is.
            StorageWorld(quirks: [.headsWithoutLength, .otherWholeETags], errand: errand(5000)),
            // A page in place of a copy that was read back was taken for another's copy, and the photo stored once more.
            StorageWorld(
                manner: .plainSink,
                errand: WorldErrand(
                    items: [
                        WorldErrand.Item(name: "#1.jpg", size: 1), WorldErrand.Item(name: "a-1.jpg", size: 301),
                        WorldErrand.Item(name: "sea;1.jpg", size: 100_002),
                    ], policy: .rename, width: 1), troubles: [2: .killedBefore, 11: .brokenMidway],
                serverTroubles: [11: .page]),
            // One that was to be skipped was given up, as an upload of it did not end.
            StorageWorld(
                manner: .withoutConditions, quirks: [.abortsNever], canReadBack: true, isKnown: true,
                errand: WorldErrand(
                    items: [
                        WorldErrand.Item(name: "A.JPG", size: 100_000),
                        WorldErrand.Item(name: "sea;1.jpg", size: 100_001),
                        WorldErrand.Item(name: "A.JPG", size: 302),
                    ], policy: .skip, width: 3), troubles: [9: .status500], serverTroubles: [23: .skewed]),
        ]
        + (4..<16).flatMap { number in
            // A copy that could not be read back in that moment was taken for another's, and stored once more.
            [BucketTrouble.redirected, .busy].map { trouble in
                StorageWorld(
                    canReadBack: true, errand: errand(300), troubles: [number - 1: .killedAfter],
                    serverTroubles: [number: trouble])
            }
        }

    /// Conditions that are not what they seem, and are tried out beside the first of three items.
    private static let fickle = StorageWorld.fickle.flatMap { quirk in
        [["b.jpg"], ["b.jpg", "c.jpg"]].map { theirs in
            StorageWorld(
                quirks: [quirk], triesAfter: 1,
                errand: WorldErrand(
                    items: [
                        .init(name: "a.jpg", size: 300), .init(name: "b.jpg", size: 301), .init(name: "c.jpg", size: 1),
                    ],
                    policy: .rename, width: 1), theirs: theirs)
        }
    }

    /// The same of what is under way side by side, and comes in another order each time.
    private static let sideBySide =
        (0..<3).flatMap { _ in
            [
                // The first one's Complete went on after it was answered 504, and became an object over the second.
                StorageWorld(
                    quirks: [.hidesWhileCompleting],
                    errand: WorldErrand(
                        items: [.init(name: "é.jpg", size: 5000), .init(name: "é.jpg", size: 100_001)], policy: .rename,
                        width: 2), theirs: ["é.jpg"]),
                // An upload was left open beside what another had stored there, of which nobody told how large it is.
                StorageWorld(
                    quirks: [.headsWithoutLength],
                    errand: WorldErrand(
                        items: [.init(name: "a-1.jpg", size: 100_000), .init(name: "a-1.jpg", size: 301)],
                        policy: .rename,
                        width: 2), troubles: [7: .status503]),
            ]
        }
        + (0..<6).map { number in
            // An upload was left open whose key was listed as if it were encoded.
            StorageWorld(
                quirks: [.claimsEncoding],
                errand: WorldErrand(items: [.init(name: "a+b.jpg", size: 5000)], policy: .rename, width: 1),
                troubles: [number: .killedAfter])
        }

    @Test(arguments: found + sideBySide + fickle) func `in which a promise was broken keeps it now`(
        _ world: StorageWorld
    )
        async throws
    {
        #expect(try await world.run() == [])
    }
}
