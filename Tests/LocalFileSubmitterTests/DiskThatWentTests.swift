import Glibc
import Submit
import SubmitConcurrency
import TestServers
import Testing

/// What lies under a destination's path may be another disk than yesterday, or none.
@Suite struct `A folder whose disk` {
    private static let needsDisk: Comment = "needs to mount exFAT"

    @Test(.enabled(needsDisk) { try await LoopDisk.works(.exfat) })
    func `is not there is on hold, and nothing is stored in its stead`() async throws {
        let (disk, notes, folder) = (try await LoopDisk(.exfat), TransientNotes(), TestFolder())
        let values = ["path": disk.path + "/Photos"]
        let (item, bytes) = try folder.original([1, 2, 3])
        let receipt = try await folder.submitter(values, notes: notes).submit(item, bytes: bytes, context: context())

        try await disk.unmount()
        let (other, otherBytes) = try folder.original([4], name: "IMG_2.jpg")
        for submitter in [
            try folder.submitter(values, notes: notes),
            try folder.submitter(["create": "no"].merging(values) { $1 }, notes: notes),
        ] {
            try await expectAway(submitter, other, otherBytes)
            await expectUnknown(submitter, item, receipt)
            await #expect(throws: SubmitFailure.self) { try await submitter.check() }
            await #expect(throws: SubmitFailure.self) { try await submitter.discard(other, context: context()) }
            await #expect(throws: SubmitFailure.self) { try await submitter.facets.albums?.create("Album") }
        }
        #expect(access(values["path"]!, F_OK) != 0, "a folder was made on the empty mount point")

        try await disk.mount()
        let back = try folder.submitter(values, notes: notes)
        #expect(await back.facets.presence?.presence(of: item, receipt: receipt) == .present(.verified))
        #expect(try await back.submit(other, bytes: otherBytes, context: context()).evidence == .verified)
    }

    @Test func `is there, and that was renamed, is on hold until it is named`() async throws {
        let (folder, notes) = (TestFolder(), TransientNotes())
        let (item, bytes) = try folder.original([1, 2, 3])
        _ = try await folder.submitter(notes: notes).submit(item, bytes: bytes, context: context())
        let renamed = folder.root + "-2"
        #expect(rename(folder.root, renamed) == 0)
        let (other, otherBytes) = try folder.original([4], name: "IMG_2.jpg")
        let failure = try await #require(throws: SubmitFailure.self) {
            try await folder.submitter(notes: notes).submit(other, bytes: otherBytes, context: context())
        }
        #expect(failure.code == "folder-renamed" && failure.message.contains("“\(renamed)”"), "\(failure)")
        #expect(access(folder.root, F_OK) != 0, "a new folder was made")
        // Removed, it leaves no mark, and a new one is made.
        shell("rm -r '\(renamed)'")
        let receipt = try await folder.submitter(notes: notes).submit(other, bytes: otherBytes, context: context())
        #expect(receipt.evidence == .verified)
    }

    @Test func `was being marked when a process was killed is marked by the next, and nothing is left of that`()
        async throws
    {
        let folder = TestFolder()
        folder.write([1], to: folder.root + "/.submit-folder.part")
        let (item, bytes) = try folder.original([1, 2, 3])
        _ = try await folder.submitter().submit(item, bytes: bytes, context: context())
        #expect(TestFolder.all(folder.root) == [TestFolder.mark, "IMG_1.jpg"])
    }

    @Test(.enabled(needsDisk) { try await LoopDisk.works(.exfat) })
    func `was taken away while items are stored has none of them told as done`() async throws {
        let (disk, folder) = (try await LoopDisk(.exfat), TestFolder())
        let submitter = try folder.submitter(["path": disk.path])
        let (item, bytes) = try folder.original([1, 2, 3])
        let unplug = Locked(false)
        let failure = try await #require(throws: SubmitFailure.self) {
            try await submitter.submit(
                item, bytes: bytes,
                context: context { _ in
                    let isFirst = unplug.withLock { done in
                        defer { done = true }
                        return !done
                    }
                    if isFirst { shell("umount -l '\(disk.path)'") }
                })
        }
        #expect(failure.remedy == .hold(.unreachable, after: nil), "\(failure)")
        try await expectAway(submitter, item, bytes)
        #expect(TestFolder.all(disk.path).isEmpty)
        // Its files are there when the last who has them open is gone.
        try await disk.unplug()
        try await disk.mount()
        #expect(try await submitter.submit(item, bytes: bytes, context: context()).remoteID == "IMG_1.jpg")
        #expect(TestFolder.all(disk.path).count { $0.hasSuffix(".jpg") } == 1)
    }

    @Test(.enabled(needsDisk) { try await LoopDisk.works(.exfat) })
    func `was changed for another is on hold until somebody says that it moved`() async throws {
        let (first, second) = (try await LoopDisk(.exfat), try await LoopDisk(.exfat))
        let (folder, notes) = (TestFolder(), TransientNotes())
        let path = folder.path + "/link"
        symlink(first.path, path)
        let (item, bytes) = try folder.original([1])
        let receipt = try await folder.submitter(["path": path], notes: notes).submit(
            item, bytes: bytes, context: context())
        unlink(path)
        symlink(second.path, path)
        let running = try folder.submitter(["path": path], notes: notes)
        try await expectAway(running, item, bytes)
        await expectUnknown(running, item, receipt)
        let home = try #require(try folder.submitter(["path": path], notes: notes).facets.home)
        let sentence = try await home.moved()
        #expect(sentence.contains(path) && sentence.contains("test"), "\(sentence)")
        // Those that were running hear of it.
        #expect(await running.facets.presence?.presence(of: item, receipt: receipt) == .absent)
        #expect(try await running.submit(item, bytes: bytes, context: context()).wasThere == false)
    }

    @Test(.enabled(needsDisk) { try await LoopDisk.works(.exfat, .ext4) })
    func `was changed for a larger one, with all that was on it, is used as before`() async throws {
        let (first, second) = (try await LoopDisk(.exfat), try await LoopDisk(.ext4, megabytes: 32))
        let (folder, notes) = (TestFolder(), TransientNotes())
        let path = folder.path + "/link"
        symlink(first.path, path)
        let (item, bytes) = try folder.original([1])
        let receipt = try await folder.submitter(["path": path], notes: notes).submit(
            item, bytes: bytes, context: context())
        try #require(shell("cp -a '\(first.path)/.' '\(second.path)/'"))
        unlink(path)
        symlink(second.path, path)
        let submitter = try folder.submitter(["path": path], notes: notes)
        #expect(await submitter.facets.presence?.presence(of: item, receipt: receipt) == .present(.verified))
        #expect(try await submitter.submit(item, bytes: bytes, context: context()).wasThere)
    }

    @Test(.enabled("needs to mount") { getuid() == 0 && shell("unshare -m true 2>/dev/null") })
    func `is a part of another one that is not mounted where it was`() async throws {
        let (folder, notes) = (TestFolder(), TransientNotes())
        mkdir(folder.path + "/data", 0o755)
        try #require(shell("mount --bind '\(folder.path)/data' '\(folder.root)'"))
        let (item, bytes) = try folder.original([1])
        _ = try await folder.submitter(notes: notes).submit(item, bytes: bytes, context: context())
        try #require(shell("umount '\(folder.root)'"))
        try await expectAway(folder.submitter(notes: notes), item, bytes)
        #expect(TestFolder.all(folder.root).isEmpty)
    }

    // MARK: - Nobody did anything wrong

    @Test(arguments: ["rm -rf ROOT/* ROOT/.submit-folder", "rm -rf ROOT", "rm -rf ROOT; mkdir ROOT"])
    func `was emptied by its owner is used as before, and others know it too`(command: String) async throws {
        let (folder, notes, others) = (TestFolder(), TransientNotes(), TransientNotes())
        let (item, bytes) = try folder.original([1])
        let receipt = try await folder.submitter(notes: notes).submit(item, bytes: bytes, context: context())
        _ = try await folder.submitter(notes: others).submit(item, bytes: bytes, context: context())
        let mark = folder.content(TestFolder.mark)
        try #require(shell(command.replacing("ROOT", with: "'\(folder.root)'")))
        let presence = await (try folder.submitter(notes: notes)).facets.presence?.presence(of: item, receipt: receipt)
        #expect(presence == .absent || !command.hasSuffix("'") && access(folder.root, F_OK) != 0)
        #expect(
            try await folder.submitter(notes: notes).submit(item, bytes: bytes, context: context()).wasThere == false)
        #expect(mark != nil && folder.content(TestFolder.mark) == mark)
        #expect(try await folder.submitter(notes: others).submit(item, bytes: bytes, context: context()).wasThere)
    }

    @Test(.enabled("needs to mount") { try await LoopDisk.works(.ext4) })
    func `is there has its folder made anew where its owner removed that`() async throws {
        let (disk, folder, notes) = (try await LoopDisk(.ext4), TestFolder(), TransientNotes())
        let (item, bytes) = try folder.original([1])
        let values = ["path": disk.path + "/Photos"]
        for _ in 0..<2 {
            #expect(
                try await folder.submitter(values, notes: notes).submit(item, bytes: bytes, context: context()).wasThere
                    == false)
            try #require(shell("rm -rf '\(disk.path)/Photos'"))
        }
    }

    @Test func `is known to nobody yet is taken, with the mark that others made`() async throws {
        let folder = TestFolder()
        let (item, bytes) = try folder.original([1])
        _ = try await folder.submitter().submit(item, bytes: bytes, context: context())
        let mark = folder.content(TestFolder.mark)
        #expect(try await folder.submitter().submit(item, bytes: bytes, context: context()).wasThere)
        #expect(folder.content(TestFolder.mark) == mark)
    }

    @Test func `lost its mark only gets it again`() async throws {
        let (folder, notes) = (TestFolder(), TransientNotes())
        let (item, bytes) = try folder.original([1])
        let submitter = try folder.submitter(notes: notes)
        _ = try await submitter.submit(item, bytes: bytes, context: context())
        let mark = folder.content(TestFolder.mark)
        unlink("\(folder.root)/\(TestFolder.mark)")
        #expect(try await submitter.submit(item, bytes: bytes, context: context()).wasThere)
        #expect(folder.content(TestFolder.mark) == mark)
    }

    @Test func `has something else in the mark's name is used, and that is left alone`() async throws {
        let (folder, notes) = (TestFolder(), TransientNotes())
        folder.write([7], to: "\(folder.root)/\(TestFolder.mark)")
        let (item, bytes) = try folder.original([1])
        for _ in 0..<2 { _ = try await folder.submitter(notes: notes).submit(item, bytes: bytes, context: context()) }
        #expect(folder.content(TestFolder.mark) == [7])
    }

    @Test func `is only looked at gets no mark`() async throws {
        let folder = TestFolder()
        let submitter = try folder.submitter()
        _ = try await submitter.check()
        _ = try await submitter.facets.albums?.list()
        let (item, _) = try folder.original([1])
        _ = await submitter.facets.presence?.presence(of: item, receipt: Receipt(remoteID: "x", evidence: .verified))
        #expect(TestFolder.all(folder.root).isEmpty)
    }

    @Test func `is configured elsewhere is taken there, and where it was it is still known`() async throws {
        let (folder, notes) = (TestFolder(), TransientNotes())
        let (item, bytes) = try folder.original([1])
        _ = try await folder.submitter(notes: notes).submit(item, bytes: bytes, context: context())
        let elsewhere = ["path": folder.path + "/elsewhere"]
        _ = try await folder.submitter(elsewhere, notes: notes).submit(item, bytes: bytes, context: context())
        #expect(try await folder.submitter(notes: notes).submit(item, bytes: bytes, context: context()).wasThere)
    }

    // MARK: - Journals from before there were marks

    @Test func `should have copies and has nothing is on hold`() async throws {
        let (folder, notes) = (TestFolder(), OldNotes())
        let (item, bytes) = try folder.original([1])
        for missing in [false, true] {
            if missing { rmdir(folder.root) }
            try await expectAway(folder.submitter(notes: notes), item, bytes)
            await expectUnknown(try folder.submitter(notes: notes), item, Receipt(remoteID: "x", evidence: .verified))
        }
        _ = try await folder.submitter(notes: notes).facets.home?.moved()
        #expect(
            try await folder.submitter(notes: notes).submit(item, bytes: bytes, context: context()).wasThere == false)
    }

    @Test func `should have copies and has some is taken`() async throws {
        let (folder, notes) = (TestFolder(), OldNotes())
        folder.write([2], to: folder.root + "/older.jpg")
        let (item, bytes) = try folder.original([1])
        #expect(
            try await folder.submitter(notes: notes).submit(item, bytes: bytes, context: context()).wasThere == false)
    }

    private func expectAway(_ submitter: any Submitter, _ item: MediaItem, _ bytes: TestBytes) async throws {
        let failure = try await #require(throws: SubmitFailure.self) {
            try await submitter.submit(item, bytes: bytes, context: context())
        }
        #expect(failure.remedy == .hold(.unreachable, after: nil), "\(failure)")
        #expect(
            failure.code == "disk-away" && failure.message.contains("say that it has moved"), "\(failure)")
    }

    private func expectUnknown(_ submitter: any Submitter, _ item: MediaItem, _ receipt: Receipt) async {
        guard case .unknown = await submitter.facets.presence?.presence(of: item, receipt: receipt) else {
            Issue.record("Another folder says nothing about the copy.")
            return
        }
    }
}

/// The notes of a journal that has stored copies and remembers no folder.
private final class OldNotes: DestinationNotes {
    private let notes = TransientNotes()
    let holdsCopies = true

    func read(_ topic: String) async -> [UInt8]? { await notes.read(topic) }
    func write(_ topic: String, _ note: [UInt8]?) async { await notes.write(topic, note) }
}
