import Glibc
import Submit
import SubmitConcurrency
import SubmitDigest
import SystemPackage
import Testing

@Suite struct StoringTests {
    let folder = TestFolder()

    @Test(arguments: [0, 1, 100_000, 262_145, 5 << 20], [false, true])
    func `a copy has the item's bytes, time and usual permissions, and nothing else stays`(
        size: Int, hidesDescriptor: Bool
    ) async throws {
        var content = [UInt8](repeating: 0, count: size)
        for index in stride(from: 0, to: size, by: 997) { content[index] = UInt8(truncatingIfNeeded: index / 251) }
        let (item, bytes) = try folder.original(content, hidesDescriptor: hidesDescriptor)
        let sent = Locked<[Int64]>([])
        let receipt = try await folder.submitter().submit(
            item, bytes: bytes, context: context { count in sent.withLock { $0.append(count) } })
        #expect(
            receipt
                == Receipt(remoteID: "IMG_1.jpg", url: "file://\(folder.root)/IMG_1.jpg", evidence: .verified))
        #expect(folder.content("IMG_1.jpg") == content)
        #expect(folder.names() == ["IMG_1.jpg"])
        #expect(size == 0 || sent.withLock { $0.last } == Int64(size))

        var status = stat()
        try #require(stat("\(folder.root)/IMG_1.jpg", &status) == 0)
        #expect(status.st_mtim.tv_sec == 1_234_567_890)
        #expect(status.st_mtim.tv_nsec == 123_456_789)
        folder.write([], to: "\(folder.path)/ordinary")
        var ordinary = stat()
        try #require(stat("\(folder.path)/ordinary", &ordinary) == 0)
        #expect(status.st_mode == ordinary.st_mode)
    }

    /// By 022, and where the machine's umask takes more, that too.
    @Test(
        arguments: [
            (0o640, 0o640), (0o600, 0o600), (0o644, 0o644), (0o666, 0o644), (0o444, 0o644), (0o400, 0o600),
            (0o755, 0o644),
            (0o4755, 0o644), (0o604, 0o604),
        ] as [(mode_t, mode_t)])
    func `a copy may be read and written by no one who may not do so with its source, and is no program`(
        _ mode: mode_t, _ expected: mode_t
    ) async throws {
        let (item, _) = try folder.original([1, 2, 3])
        try #require(chmod(item.source.string, mode) == 0)
        let bytes = try TestBytes(item.source.string, hidesDescriptor: false)
        _ = try await folder.submitter().submit(item, bytes: bytes, context: context())
        var (copy, ordinary) = (stat(), stat())
        folder.write([], to: "\(folder.path)/ordinary")
        try #require(stat("\(folder.root)/IMG_1.jpg", &copy) == 0 && stat("\(folder.path)/ordinary", &ordinary) == 0)
        #expect(copy.st_mode & 0o7777 == expected & ordinary.st_mode)
    }

    /// All that wait for a disk at the same moment hold a thread each, of which there is an end.
    @Test(.timeLimit(.minutes(1))) func `many folders at once wait for their disks and not for each other`()
        async throws
    {
        let (item, bytes) = try folder.original([1, 2, 3])
        let submitters = try (0..<8).map { try folder.submitter(["path": "\(folder.root)/\($0)"]) }
        let stored = try await withThrowingTaskGroup(of: Receipt.self) { group in
            for number in 0..<64 {
                for submitter in submitters {
                    var own = item
                    own.name = "\(number).jpg"
                    group.addTask { [own] in try await submitter.submit(own, bytes: bytes, context: context()) }
                }
            }
            return try await group.reduce(0) { count, _ in count + 1 }
        }
        #expect(stored == 512)
    }

    @Test func `the template and the album make the folders`() async throws {
        let captured = CaptureTime("2024-05-07T08:09:01")
        let submitter = try folder.submitter(["template": "{year}/{album}/{month}-{name}"])
        #expect(submitter.capabilities.usesCaptureTime)
        let (item, bytes) = try folder.original([1], captured: captured)
        let receipt = try await submitter.submit(item, bytes: bytes, context: context(album: "Trips/Zürich 100%"))
        #expect(receipt.remoteID == "2024/Trips/Zürich 100%/05-IMG_1.jpg")
        #expect(receipt.url == "file://\(folder.root)/2024/Trips/Z%C3%BCrich%20100%25/05-IMG_1.jpg")
        #expect(folder.content("2024/Trips/Zürich 100%/05-IMG_1.jpg") == [1])
    }

    @Test(arguments: [
        "🏔️ 山.jpg", "new\nline.jpg", "..jpg", "-rf", "a'b\"c\\d.jpg", ".hidden",
        String(repeating: "n", count: 251) + ".jpg", String(repeating: "é", count: 200) + ".jpeg",
    ])
    func `any legal name is kept, and one too long is cut`(name: String) async throws {
        let (item, bytes) = try folder.original([1, 2], name: name)
        let receipt = try await folder.submitter().submit(item, bytes: bytes, context: context())
        #expect(name.utf8.count > 255 ? receipt.remoteID.hasSuffix(".jpeg") : receipt.remoteID == name)
        #expect(folder.names() == [receipt.remoteID])

        let (other, otherBytes) = try folder.original([3], name: name)
        let second = try await folder.submitter().submit(other, bytes: otherBytes, context: context())
        #expect(second.remoteID != receipt.remoteID)
        #expect(folder.content(second.remoteID) == [3])
        #expect(folder.content(receipt.remoteID) == [1, 2])
    }

    @Test(arguments: ["..", ".", "../../escape", "a/../../escape"])
    func `no album leads out of the root`(album: String) async throws {
        let (item, bytes) = try folder.original([1], name: "escaped.jpg")
        let receipt = try await folder.submitter().submit(item, bytes: bytes, context: context(album: album))
        #expect(folder.content(receipt.remoteID) == [1])
        #expect(access(folder.path + "/escaped.jpg", F_OK) != 0)
        #expect(access(folder.path + "/escape", F_OK) != 0)
    }

    @Test func `a link in the way is never followed, and only this submission fails`() async throws {
        mkdir(folder.path + "/elsewhere", 0o755)
        symlink(folder.path + "/elsewhere", folder.root + "/album")
        let (item, bytes) = try folder.original([1])
        let failure = try await #require(throws: SubmitFailure.self) {
            try await folder.submitter().submit(item, bytes: bytes, context: context(album: "album"))
        }
        #expect(failure.remedy == .giveUp)
        #expect(failure.message.contains("\(folder.root)/album"))
        #expect(access(folder.path + "/elsewhere/IMG_1.jpg", F_OK) != 0)
    }

    @Test func `a root that is a link is used`() async throws {
        symlink(folder.root, folder.path + "/link")
        let (item, bytes) = try folder.original([1])
        let submitter = try folder.submitter(["path": folder.path + "/link"])
        _ = try await submitter.submit(item, bytes: bytes, context: context())
        #expect(folder.content("IMG_1.jpg") == [1])
    }

    @Test func `a missing root is made with all above it, or holds where that is not wanted`() async throws {
        let (item, bytes) = try folder.original([1])
        let path = folder.root + "/x/y"
        let refusing = try folder.submitter(["path": path, "create": "no"])
        let failure = try await #require(throws: SubmitFailure.self) {
            try await refusing.submit(item, bytes: bytes, context: context())
        }
        #expect(failure.remedy == .hold(.misconfigured, after: nil))
        #expect(failure.message.contains(path))
        #expect(folder.names().isEmpty)

        _ = try await folder.submitter(["path": path]).submit(item, bytes: bytes, context: context())
        #expect(folder.content("x/y/IMG_1.jpg") == [1])
    }

    @Test func `many at once are all stored and durable together`() async throws {
        let submitter = try folder.submitter(["template": "{sha256:1}/{name}"])
        var expected: [String: [UInt8]] = [:]
        try await withThrowingTaskGroup(of: Receipt.self) { group in
            for number in 0..<100 {
                let content = Array("photo \(number)".utf8)
                let (item, bytes) = try folder.original(content, name: "\(number).jpg")
                let digit = item.digests.hexadecimal(.sha256)!.prefix(1)
                expected["\(digit)/\(number).jpg"] = content
                group.addTask { try await submitter.submit(item, bytes: bytes, context: context()) }
            }
            for try await receipt in group { #expect(receipt.evidence == .verified) }
        }
        for (name, content) in expected { #expect(folder.content(name) == content) }
    }
}
