import CDrawnFiles
import LocalFileSubmitter
import Submit
import SubmitTesting
import TestServers
import Testing

/// File systems that nobody chose, with an oracle that looks past them at the true folder.
///
/// `SUBMIT_WORLDS=10000 SUBMIT_WORLD_SEED=1` draws more of them, from there on.
@Suite struct `A folder of drawn manners` {
    @Test func `gets each item once, keeps what others have, and nothing is told that is not so`() async throws {
        for find in await FileWorld.finds(.drawnWorlds, from: .firstWorld) { Issue.record("\(find)") }
    }

    @Test func `is asked for all that is done`() async throws {
        let disk = DrawnFileSystem([.numbersByPath])
        let submitter = try LocalFileSubmitter.submitterType().make(
            DestinationSettings(destination: "test", values: ["path": disk.root, "template": "a/{name}"]))
        let bytes = ScriptedBytes([1, 2, 3], isFile: true)
        _ = try await submitter.submit(bytes.item(named: "a:b.jpg"), bytes: bytes, context: context())
        let all: Set<FileCallKind> = [
            .open, .close, .makeFolder, .unlink, .rename, .look, .lookOpen, .access, .read, .write, .copy, .clone,
            .sync,
            .times, .mode, .lock, .advise, .listed, .kind, .birth,
        ]
        // Whoever sleeps does so in what its thread did last, which may be this.
        #expect(disk.seen.subtracting([.sleep]) == all)
        #expect(disk.tree.keys.contains(Array("a/a:b.jpg".utf8)))
    }

    private static func one(_ name: String = "a.jpg", size: Int = 300, policy: ConflictPolicy = .rename) -> WorldErrand
    {
        WorldErrand(items: [.init(name: name, size: size)], policy: policy, width: 1)
    }

    private static let eight = WorldErrand(
        items: (0..<8).map { .init(name: "\($0).jpg", size: 300 + $0) }, policy: .rename, width: 8)

    private static let twins = WorldErrand(
        items: (0..<3).map { .init(name: "b.jpg", size: 5000 + $0) }, policy: .overwrite, width: 8)

    /// Those in which a promise was broken once, as small as they got.
    private static let found =
        [
            // A name that is taken and leads to nothing was asked for without an end.
            FileWorld(manners: [.hidesFoldedNames], errand: one(), theirs: ["A.JPG"]),
            FileWorld(manners: [.hidesFoldedNames], errand: one(policy: .overwrite), theirs: ["A.JPG"]),
            // Submissions were cancelled that nobody cancelled.
            FileWorld(manners: [.countsNoLinks], errand: one()), FileWorld(manners: [.numbersAnew], errand: one()),
            FileWorld(manners: [.countsNoLinks], refusals: [.exclusiveRename: .EINVAL], errand: one()),
            FileWorld(manners: [.numbersByPath], errand: one()),
            // What was written was told as there, though the disk had said once that it was not.
        ]
        + stride(from: 100, to: 200, by: 10).flatMap { call in
            [
                FileWorld(manners: [.deafSyncAll], errand: eight, troubles: [call: .lostPages]),
                FileWorld(errand: eight, troubles: [call: .lostPages]),
                FileWorld(
                    manners: [.deafSyncAll], refusals: [.rangeSync: .EINVAL], errand: eight,
                    troubles: [call: .lostPages]),
            ]
        } + [
            // What was lost at close was told as there.
            FileWorld(manners: [.uploadsAtClose], errand: one(), troubles: [40: .failsAtClose]),
            FileWorld(manners: [.uploadsAtClose], errand: one(), troubles: [3: .fullLate]),
            // Nothing could be stored, or what was stored was told as failed.
            FileWorld(refusals: [.folderSync: .EOPNOTSUPP], errand: one()),
            FileWorld(refusals: [.fileSync: .EOPNOTSUPP], errand: one()),
            FileWorld(refusals: [.whileOpen: .EBUSY], errand: one()),
            FileWorld(refusals: [.whileOpen: .EACCES], errand: one()),
            FileWorld(refusals: [.readingBack: .EPERM], errand: one()),
            FileWorld(refusals: [.readingBack: .EBADF], errand: one()),
            FileWorld(refusals: [.times: .EACCES], errand: one()), FileWorld(refusals: [.mode: .ENOENT], errand: one()),
            FileWorld(refusals: [.exclusiveRename: .EINVAL, .link: .ENOSYS, .replacing: .EPERM], errand: one()),
            FileWorld(refusals: [.replacing: .EPERM], errand: one(policy: .overwrite), theirs: ["a.jpg"]),
            // Half of the mark was read, and the disk called another.
            FileWorld(manners: [.isShare, .readsShort], errand: one()),
            // A lock that somebody keeps, or that there is none, was waited for.
            FileWorld(manners: [.locksHang], errand: one("\u{e9}.jpg")),
            FileWorld(refusals: [.lock: .ENOLCK], errand: one()),
            // An accent became “_”, as the name was not listed yet.
            FileWorld(manners: [.listsLate], errand: one("\u{e9}.jpg")),
            // A name failed for good, as the disk did not answer while names were tried.
            FileWorld(manners: [.refusesCharacters], errand: one(), album: "Rome: 2024?", troubles: [75: .eio]),
            // An empty file that held a name stayed, and the name was lost.
            FileWorld(
                manners: [.countsNoLinks, .writesShort], refusals: [.exclusiveRename: .EOPNOTSUPP, .replacing: .EPERM],
                errand: one("a-1.jpg"), troubles: [34: .killedAfter, 68: .estale]),
            // Scratch files stayed.
            FileWorld(errand: one(), troubles: [36: .readOnly]),
            FileWorld(errand: one("\u{e9}.jpg"), troubles: [66: .disconnected]),
            FileWorld(refusals: [.exclusiveRename: .EOPNOTSUPP], errand: one(), troubles: [20: .readOnly]),
            // So they did where others had come with the name, and the disk went away in that moment.
            FileWorld(errand: one(policy: .skip), troubles: [35: .stranger, 42: .disconnected]),
            FileWorld(errand: one(policy: .skip), troubles: [28: .stranger, 40: .readOnly]),
            // So did what got its name by a link, of which nobody heard.
            FileWorld(refusals: [.exclusiveRename: .ENOSYS], errand: one(), troubles: [53: .replayed]),
            // An empty file that held a name stayed, as it could not be looked at once.
            FileWorld(
                refusals: [.exclusiveRename: .EOPNOTSUPP, .link: .EPERM, .replacing: .EPERM], errand: one(),
                troubles: [48: .eio]),
            // Where nothing can be replaced, who came while the old copy was put aside was taken for a folder, or stored his
            // copy twice; and what was put aside stayed there.
            FileWorld(refusals: [.replacing: .EEXIST], errand: twins, theirs: ["b.jpg"], troubles: [136: .eio]),
            FileWorld(refusals: [.replacing: .EEXIST], errand: twins, theirs: ["b.jpg"], troubles: [152: .eio]),
            // “end” of others was replaced by “end.”, as what became of a name tried was not listed yet.
            FileWorld(manners: [.dropsEnds, .listsLate], errand: one("end.", policy: .overwrite), theirs: ["end"]),
        ]

    /// The same, wherever the moment is.
    private static let foundAtSomeCall = (30..<90).flatMap { call in
        [
            // Who came with the name that was to be overwritten was left alone, and replaced by the next attempt, so that
            // the item was there twice.
            FileWorld(errand: one(policy: .overwrite), troubles: [call - 6: .stranger, call: .away]),
            // A disk that answered no more was taken for one that holds other bytes.
            FileWorld(manners: [.numbersByPath], errand: one(policy: .fail), troubles: [call: .disconnected]),
            // A scratch file stayed, of a photo that was given up in the moment in which its disk went away.
            FileWorld(
                manners: [.smallFiles], refusals: [.copy: .EIO], errand: one(size: 200_000),
                troubles: [call: .disconnected]),
        ]
    }

    @Test(arguments: found + foundAtSomeCall) func `in which a promise was broken keeps it now`(_ world: FileWorld)
        async throws
    {
        #expect(try await world.run() == [])
    }

    @Test
    func `that replaces nothing has one of two files, wherever the process dies, though the submission is given up`()
        async throws
    {
        let (theirs, bytes) = (ScriptedBytes.content(count: 77, seed: 9), ScriptedBytes([1, 2, 3]))
        var (wasAside, isDead, call) = (false, true, 0)
        while isDead, call < 300 {
            let disk = DrawnFileSystem(refusals: [.replacing: .EPERM], troubles: [call: .killedAfter])
            disk.put(theirs, "a.jpg")
            let (item, settings) = (
                bytes.item(named: "a.jpg"), DestinationSettings(destination: "test", values: ["path": disk.root])
            )
            let (process, first) = (disk.process(), try LocalFileSubmitter.submitterType().make(settings))
            _ = try? await first.submit(item, bytes: bytes, context: context("s", onConflict: .overwrite))
            (wasAside, isDead, call) = (wasAside || disk.content("a.jpg") == nil, process.isDead, call + 1)
            _ = disk.process()
            disk.mend()
            try await LocalFileSubmitter.submitterType().make(settings).discard(item, context: context("s"))
            let there = disk.content("a.jpg")
            #expect(there == theirs || there == bytes.content, "after call \(call)")
        }
        #expect(wasAside && !isDead)
    }

    @Test func `keeps no scratch file of a second mark, at whichever call the first could not be read`() async throws {
        for (call, distance) in (0..<40).flatMap({ call in (1..<8).map { (call, $0) } }) {
            let disk = DrawnFileSystem(troubles: [call: .estale, call + distance: .readOnly], sleeps: true)
            let submitter = try LocalFileSubmitter.submitterType().make(
                DestinationSettings(destination: "test", values: ["path": disk.root]))
            let bytes = ScriptedBytes([1, 2, 3])
            for isLater in [false, true] {
                await withTaskGroup { group in
                    for number in 0..<2 {
                        group.addTask {
                            _ = try? await submitter.submit(
                                bytes.item(named: "\(number).jpg"), bytes: bytes,
                                context: context("\(number)", attempt: isLater ? 2 : 1))
                        }
                    }
                }
                disk.later()
            }
            disk.mend()
            #expect(disk.tree.keys.allSatisfy { !String(decoding: $0, as: UTF8.self).hasSuffix(".part") }, "\(call)")
        }
    }

    @Test func `whose room is no number is checked`() async throws {
        let disk = DrawnFileSystem([.oddRoom])
        let submitter = try LocalFileSubmitter.submitterType().make(
            DestinationSettings(destination: "test", values: ["path": disk.root]))
        #expect(try await submitter.check().contains("an unknown number of bytes"))
    }
}
