import Glibc
import Submit
import SubmitConcurrency
import Testing

@testable import LocalFileSubmitter

@Suite struct ConflictTests {
    let folder = TestFolder()

    @Test(arguments: ConflictPolicy.allCases)
    func `the same bytes count as done under every policy`(policy: ConflictPolicy) async throws {
        let submitter = try folder.submitter()
        let (item, bytes) = try folder.original([1, 2, 3])
        _ = try await submitter.submit(item, bytes: bytes, context: context(onConflict: policy))
        let again = try await submitter.submit(item, bytes: bytes, context: context(onConflict: policy))
        #expect(again.wasThere)
        #expect(again.evidence == .verified)
        #expect(again.remoteID == "IMG_1.jpg")
        #expect(folder.names() == ["IMG_1.jpg"])
    }

    @Test func `rename takes the next free name, and finds its copy there again`() async throws {
        let submitter = try folder.submitter()
        folder.write([9, 9, 9], to: folder.root + "/IMG_1.jpg")
        folder.write([8], to: folder.root + "/IMG_1-1.jpg")
        let (item, bytes) = try folder.original([1, 2, 3])
        for attempt in 1...2 {
            let receipt = try await submitter.submit(item, bytes: bytes, context: context())
            #expect(receipt.remoteID == "IMG_1-2.jpg")
            #expect(receipt.wasThere == (attempt == 2))
        }
        #expect(folder.content("IMG_1.jpg") == [9, 9, 9])
        #expect(folder.content("IMG_1-1.jpg") == [8])
        #expect(folder.content("IMG_1-2.jpg") == [1, 2, 3])
        #expect(folder.names().count == 3)
    }

    @Test func `skip leaves what is there and claims nothing`() async throws {
        folder.write([9], to: folder.root + "/IMG_1.jpg")
        let (item, bytes) = try folder.original([1])
        let receipt = try await folder.submitter().submit(item, bytes: bytes, context: context(onConflict: .skip))
        #expect(receipt.evidence == .unknown)
        #expect(receipt.note != nil)
        #expect(folder.content("IMG_1.jpg") == [9])
        #expect(folder.names().count == 1)
    }

    @Test func `overwrite replaces a file, and neither a link nor what it points to`() async throws {
        folder.write([9], to: folder.root + "/IMG_1.jpg")
        let (item, bytes) = try folder.original([1])
        let submitter = try folder.submitter()
        _ = try await submitter.submit(item, bytes: bytes, context: context(onConflict: .overwrite))
        #expect(folder.content("IMG_1.jpg") == [1])

        folder.write([7], to: folder.path + "/target")
        symlink(folder.path + "/target", folder.root + "/IMG_2.jpg")
        let (other, otherBytes) = try folder.original([2], name: "IMG_2.jpg")
        let failure = try await #require(throws: SubmitFailure.self) {
            try await submitter.submit(other, bytes: otherBytes, context: context(onConflict: .overwrite))
        }
        #expect(failure.remedy == .giveUp && failure.message.contains("IMG_2.jpg"), "\(failure)")
        #expect(folder.content("IMG_2.jpg") == [7] && folder.content("../target") == [7])
    }

    @Test func `a repair in a folder replaces the file in its receipt and no other, however often it is repeated`()
        async throws
    {
        let submitter = try folder.submitter()
        folder.write([9, 9, 9], to: folder.root + "/IMG_1.jpg")
        let (item, bytes) = try folder.original([1, 2, 3])
        let receipt = try await submitter.submit(item, bytes: bytes, context: context())
        #expect(receipt.remoteID == "IMG_1-1.jpg")
        var repair = context(onConflict: .overwrite)
        repair.disproved = receipt.remoteID
        for damage in [[8], [7, 7, 7], nil] as [[UInt8]?] {
            if let damage {
                folder.write(damage, to: folder.root + "/IMG_1-1.jpg")
            } else {
                unlink(folder.root + "/IMG_1-1.jpg")
            }
            let again = try await submitter.submit(item, bytes: bytes, context: repair)
            #expect(again.remoteID == receipt.remoteID && !again.wasThere)
            #expect(folder.content("IMG_1.jpg") == [9, 9, 9] && folder.content("IMG_1-1.jpg") == [1, 2, 3])
            #expect(folder.names().count == 2)
        }
    }

    @Test(arguments: ["../IMG_1.jpg", "/IMG_1.jpg", ""])
    func `a repair in a folder never leaves it`(address: String) async throws {
        let (item, bytes) = try folder.original([1])
        let submitter = try folder.submitter()
        var asked = context(onConflict: .overwrite)
        asked.disproved = address
        let repair = asked
        let failure = try await #require(throws: SubmitFailure.self) {
            try await submitter.submit(item, bytes: bytes, context: repair)
        }
        #expect(failure.code == "no-path" && failure.remedy == .giveUp)
    }

    @Test func `overwrite takes the next name if a copy of another photo has its own, or is on its way there`()
        async throws
    {
        let submitter = try folder.submitter()
        let (item, bytes) = try folder.original([1, 2, 3])
        let asked = Locked<[String]>([])
        func context(isReserved: Bool) -> SubmissionContext {
            SubmissionContext(
                submission: "test-1", onConflict: .overwrite, reserve: { !isReserved || $0.remoteID != "IMG_1.jpg" },
                mayReplace: { address in
                    asked.withLock { $0.append(address.remoteID) }
                    return .success(false)
                })
        }
        let reserved = try await submitter.submit(item, bytes: bytes, context: context(isReserved: true))
        #expect(reserved.remoteID == "IMG_1-1.jpg" && folder.names() == ["IMG_1-1.jpg"])
        folder.write([9], to: folder.root + "/IMG_1.jpg")
        let (other, otherBytes) = try folder.original([4, 5])
        let receipt = try await submitter.submit(other, bytes: otherBytes, context: context(isReserved: false))
        #expect(receipt.remoteID == "IMG_1-2.jpg" && folder.content("IMG_1.jpg") == [9])
        #expect(asked.withLock { $0 } == ["IMG_1.jpg"])
    }

    @Test func `overwrite spares a photo that came to its name while it was copied`() async throws {
        let (item, bytes) = try folder.original([1, 2, 3])
        let context = SubmissionContext(
            submission: "test-1", onConflict: .overwrite,
            sent: { [folder] _ in folder.write([7, 7], to: folder.root + "/IMG_1.jpg") },
            mayReplace: { _ in .success(false) })
        let receipt = try await folder.submitter().submit(item, bytes: bytes, context: context)
        #expect(receipt.remoteID == "IMG_1-1.jpg")
        #expect(folder.content("IMG_1.jpg") == [7, 7] && folder.content("IMG_1-1.jpg") == [1, 2, 3])
    }

    @Test func `overwrite never replaces a folder`() async throws {
        mkdir(folder.root + "/IMG_1.jpg", 0o755)
        let (item, bytes) = try folder.original([1])
        let failure = try await #require(throws: SubmitFailure.self) {
            try await folder.submitter().submit(item, bytes: bytes, context: context(onConflict: .overwrite))
        }
        #expect(failure.remedy == .giveUp)
        #expect(folder.names() == ["IMG_1.jpg"])
    }

    @Test func `fail says which file has the name`() async throws {
        folder.write([9], to: folder.root + "/IMG_1.jpg")
        let (item, bytes) = try folder.original([1])
        let failure = try await #require(throws: SubmitFailure.self) {
            try await folder.submitter().submit(item, bytes: bytes, context: context(onConflict: .fail))
        }
        #expect(failure.remedy == .giveUp)
        #expect(failure.code == "name-taken")
        #expect(failure.message.contains("“IMG_1.jpg” in “\(folder.root)”"))
        #expect(folder.content("IMG_1.jpg") == [9])
    }

    @Test func `many writers to one name lose nothing`() async throws {
        let submitters = try [folder.submitter(), folder.submitter()]
        try await withThrowingTaskGroup(of: Receipt.self) { group in
            for number in 0..<40 {
                let (item, bytes) = try folder.original([UInt8(number)])
                group.addTask { try await submitters[number % 2].submit(item, bytes: bytes, context: context()) }
            }
            var names: Set<String> = []
            for try await receipt in group { names.insert(receipt.remoteID) }
            #expect(names.count == 40)
        }
        let stored = folder.names().compactMap { folder.content($0) }
        #expect(Set(stored) == Set((0..<40).map { [UInt8($0)] }))
        #expect(stored.count == 40)
    }

    @Test func `many writers of the same bytes leave one file`() async throws {
        let submitter = try folder.submitter()
        let (item, bytes) = try folder.original([UInt8](repeating: 5, count: 50_000))
        try await withThrowingTaskGroup(of: Receipt.self) { group in
            for _ in 0..<20 { group.addTask { try await submitter.submit(item, bytes: bytes, context: context()) } }
            for try await receipt in group { #expect(receipt.remoteID == "IMG_1.jpg") }
        }
        #expect(folder.names() == ["IMG_1.jpg"])
    }

    @Test(arguments: ["rename", "link and unlink", "rename over a placeholder"])
    func `every way of renaming refuses a taken name and leaves both files`(way: String) throws {
        func rename(_ directory: CInt, _ from: String, _ to: String) throws -> Bool {
            switch way {
            case "rename": try ExclusiveRename.rename(in: directory, from, to: to)
            case "link and unlink": try ExclusiveRename.linkAndUnlink(in: directory, from, to: to)
            default: try ExclusiveRename.renameOverPlaceholder(in: directory, from, to: to)
            }
        }
        let directory = open(folder.root, O_RDONLY | O_DIRECTORY)
        defer { close(directory) }
        folder.write([1], to: folder.root + "/from")
        folder.write([2], to: folder.root + "/taken")
        #expect(try !rename(directory, "from", "taken"))
        #expect(folder.content("from") == [1])
        #expect(folder.content("taken") == [2])
        #expect(try rename(directory, "from", "free"))
        #expect(folder.content("free") == [1])
        #expect(folder.names() == ["free", "taken"])
        #expect(throws: (any Error).self) { try rename(directory, "missing", "final") }
        #expect(folder.names() == ["free", "taken"])
    }

    @Test func `what may be replaced is looked at again right before`() async throws {
        let (item, bytes) = try folder.original([1, 2, 3])
        folder.write([9], to: folder.root + "/IMG_1.jpg")
        folder.write([7], to: folder.path + "/theirs.jpg")
        let path = folder.root + "/IMG_1.jpg"
        let failure = try await #require(throws: SubmitFailure.self) {
            try await folder.submitter().submit(
                item, bytes: bytes,
                context: context(onConflict: .overwrite) { [folder] _ in
                    unlink(path)
                    symlink(folder.path + "/theirs.jpg", path)
                })
        }
        #expect(failure.code == "name-taken", "\(failure)")
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK, "a link was replaced")
    }
}
