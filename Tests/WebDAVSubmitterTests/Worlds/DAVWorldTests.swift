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

    private static func errand(
        _ items: WorldErrand.Item..., policy: ConflictPolicy = .rename, width: Int = 1
    ) -> WorldErrand {
        WorldErrand(items: items, policy: policy, width: width)
    }

    private static let one = errand(WorldErrand.Item(name: "a.jpg", size: 300))

    private static let overwriting = errand(WorldErrand.Item(name: "a.jpg", size: 300), policy: .overwrite)

    /// Those in which a promise was broken once, as small as they got.
    private static let found = [
        // Another photo of ours was replaced by one whose name differs by case.
        DAVWorld(
            manners: [.foldsCase],
            errand: errand(
                WorldErrand.Item(name: "a.jpg", size: 300), WorldErrand.Item(name: "A.JPG", size: 301),
                policy: .overwrite)),
        // Scratch files stayed where their removal was refused once.
        DAVWorld(errand: one, troubles: [61: .status500]), DAVWorld(errand: one, troubles: [61: .status429]),
        DAVWorld(
            manners: [.hidesDotfiles, .takesContentRange], errand: one, troubles: [48: .status503, 69: .status500]),
        // One with letters beyond ASCII stayed where the connection broke while it was made.
        DAVWorld(
            manners: [.hasNoPropfind], errand: errand(WorldErrand.Item(name: "a.jpg", size: 2)),
            troubles: [42: .brokenMidway]),
        // The same where they were to be removed without the lock that is demanded.
        DAVWorld(manners: [.demandsLocks428], errand: one, troubles: [49: .brokenMidway]),
        DAVWorld(manners: [.demandsLocks428], errand: one, troubles: [62: .killedAfter]),
        // A lock that was not let go of kept the next item out.
        DAVWorld(
            manners: [.demandsLocks, .ignoresOverwrite, .movesNowhere204],
            errand: errand(
                WorldErrand.Item(name: "#1.jpg", size: 300), WorldErrand.Item(name: "a.jpg", size: 301), width: 3),
            troubles: [91: .killedAfter, 148: .brokenMidway, 192: .status500, 308: .status423]),
        // The folder in which small items had lain stayed where its removal was refused once.
        DAVWorld(
            manners: [.noETags],
            errand: errand(
                WorldErrand.Item(name: "b.jpg", size: 1), WorldErrand.Item(name: "sea;1.jpg", size: 301),
                WorldErrand.Item(name: "a.jpg", size: 302), WorldErrand.Item(name: "trailing.", size: 303),
                WorldErrand.Item(name: "🌅.jpg", size: 304), width: 8),
            troubles: [67: .status423, 88: .status423, 344: .status423]),
        // Nothing more came where a killed process had left that folder, and MKCOL does not say so by 405.
        DAVWorld(
            manners: [.thereSays403],
            errand: errand(
                WorldErrand.Item(name: "b.jpg", size: 300), WorldErrand.Item(name: "a.jpg", size: 5003), width: 3),
            troubles: [85: .killedBefore, 264: .killedAfter]),
        // Nothing came to its place where listings never come to their end.
        DAVWorld(
            manners: [.cutsListings, .foldsCase], errand: overwriting, theirs: ["a.jpg", "b.jpg", "c.jpg", "d.jpg"]),
        // Nothing came to an end where a listing says 207 and that nothing is there.
        DAVWorld(
            manners: [.findsErrorIn207],
            errand: errand(WorldErrand.Item(name: "a.jpg", size: 300), WorldErrand.Item(name: "a.jpg", size: 301))),
        // What cannot be read in ranges was taken for other bytes, and removed.
        DAVWorld(
            manners: [.cutsRanges, .hasNoMove], canReadBack: true,
            errand: errand(WorldErrand.Item(name: "a.jpg", size: 2), WorldErrand.Item(name: "a.jpg", size: 302))),
        // Half a photo stayed at its place where no condition is ever met.
        DAVWorld(manners: [.neverMatches, .refusesDestination, .writesInPlace], errand: one),
        DAVWorld(manners: [.neverMatches, .hasNoMove], errand: overwriting, theirs: ["a.jpg"]),
        // A folder of others that is called as the photo was replaced with all that is in it.
        DAVWorld(manners: [.headsFoldersAsFiles], errand: overwriting, theirs: ["a.jpg/their.jpg"]),
        // What was not moved, or was told of only in a moment, was given up.
        DAVWorld(manners: [.movesNothing200], errand: one), DAVWorld(manners: [.appearsLater], errand: one),
        // A photo whose name a folder has was given up, or stopped all others.
        DAVWorld(manners: [.headsFolders403], errand: one, theirs: ["a.jpg/their.jpg"]),
        DAVWorld(manners: [.redirectsFolders], errand: overwriting, theirs: ["a.jpg/their.jpg"]),
        DAVWorld(manners: [.hasNoPropfind], errand: one, theirs: ["a.jpg/their.jpg"]),
        // What a broken attempt had emptied was told as the photo, which had come to lie beside it.
        DAVWorld(
            manners: [.appearsLater, .renamesUploads, .staleAfterBreak], isInParts: true,
            errand: errand(WorldErrand.Item(name: "a.jpg", size: 5000)), troubles: [72: .brokenMidway]),
        // What others have under another name was replaced, and so was another photo of ours, because a folder has the
        // photo's own.
        DAVWorld(errand: overwriting, theirs: ["a.jpg/their.jpg", "a-1.jpg"]),
        DAVWorld(
            errand: errand(
                WorldErrand.Item(name: "a.jpg", size: 300), WorldErrand.Item(name: "a-1.jpg", size: 301),
                policy: .overwrite),
            theirs: ["a.jpg/their.jpg"], losesOne: true),
        // Thousands of requests, and a copy under each name, where other bytes are kept and each move is told as failed.
        DAVWorld(
            manners: [.failsAfterMoving, .storesOthers],
            errand: WorldErrand(
                items: (1...6).map { WorldErrand.Item(name: "\($0).jpg", size: 300 + $0) }, policy: .rename, width: 1)),
        // The same where what is there may be replaced, by the same again and again.
        DAVWorld(
            manners: [.copiesToMove, .processesLater, .storesOthers],
            errand: WorldErrand(
                items: (1...6).map { WorldErrand.Item(name: "\($0).jpg", size: 300 + $0) }, policy: .overwrite, width: 1
            )),
        // Half a photo under thousands of names, as each second upload, without the date, met what the first had left.
        DAVWorld(
            manners: [.claimsMtime, .moveKeepsSource, .writesInPlace],
            errand: errand(
                WorldErrand.Item(name: ".hidden.jpg", size: 300), WorldErrand.Item(name: ".hidden.jpg", size: 301),
                width: 3)),
        // A photo whose name begins with a dot was given up where no names could be tried.
        DAVWorld(
            manners: [.diesOfSigns, .hidesDotfiles], errand: errand(WorldErrand.Item(name: ".hidden.jpg", size: 300)),
            troubles: [116: .brokenBefore, 127: .brokenMidway, 317: .killedBefore]),
        // Two copies, one under a name that was given up for another: a move that only did not happen was laid to the name.
        DAVWorld(
            manners: [.finishesLater504, .movesNothing200],
            errand: errand(
                WorldErrand.Item(name: "%41.jpg", size: 300), WorldErrand.Item(name: "%41.jpg", size: 301), width: 8)),
        DAVWorld(
            manners: [.movesNothing200], canReadBack: true,
            errand: errand(
                WorldErrand.Item(name: "trailing.", size: 300), WorldErrand.Item(name: ".hidden.jpg", size: 200_001),
                WorldErrand.Item(name: "trailing.", size: 3), width: 3),
            theirs: [".hidden.jpg", "%41.jpg"], troubles: [102: .killedBefore, 354: .killedAfter], losesOne: true),
    ]

    @Test(arguments: found) func `in which a promise was broken keeps it now`(_ world: DAVWorld) async throws {
        #expect(try await world.run() == [])
    }
}
