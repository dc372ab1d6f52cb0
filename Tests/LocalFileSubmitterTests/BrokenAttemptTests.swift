import Glibc
import Submit
import SubmitConcurrency
import SystemPackage
import Testing

@Suite struct BrokenAttemptTests {
    let folder = TestFolder()

    @Test func `what a crash left of the same submission is replaced`() async throws {
        folder.write([UInt8](repeating: 0, count: 10_000), to: folder.root + "/.submit-s-1.part")
        let (item, bytes) = try folder.original([1, 2])
        _ = try await folder.submitter().submit(item, bytes: bytes, context: context("s-1"))
        #expect(folder.content("IMG_1.jpg") == [1, 2])
        #expect(folder.names() == ["IMG_1.jpg"])
    }

    @Test func `what a crash left of the same submission is removed where the item came in another way`() async throws {
        folder.write([0], to: folder.root + "/.submit-s-1.part")
        folder.write([1, 2], to: folder.root + "/IMG_1.jpg")
        let (item, bytes) = try folder.original([1, 2])
        let receipt = try await folder.submitter().submit(item, bytes: bytes, context: context("s-1"))
        #expect(receipt.wasThere && folder.names() == ["IMG_1.jpg"])
    }

    @Test func `discarding removes what this submission left, and no other file`() async throws {
        let submitter = try folder.submitter()
        mkdir(folder.root + "/album", 0o755)
        folder.write([0], to: folder.root + "/album/.submit-s-1.part")
        folder.write([0], to: folder.root + "/album/.submit-s-2.part")
        let (item, _) = try folder.original([1])
        for _ in 0..<2 { try await submitter.discard(item, context: context("s-1", album: "album")) }
        try await submitter.discard(item, context: context("s-1", album: "none"))
        #expect(folder.names("album") == [".submit-s-2.part"])
        #expect(folder.names() == ["album"])
    }

    @Test(arguments: [true, false])
    func `cancelling in the middle leaves nothing`(hidesDescriptor: Bool) async throws {
        let submitter = try folder.submitter()
        let (item, bytes) = try folder.original(
            [UInt8](repeating: 7, count: 30 << 20), hidesDescriptor: hidesDescriptor)
        let task = Locked<Task<Result<Receipt, SubmitFailure>, Never>?>(nil)
        let reached = Locked<Int64>(0)
        let started = AsyncStream<Void>.makeStream()
        let running = Task { () -> Result<Receipt, SubmitFailure> in
            for await _ in started.stream { break }
            do throws(SubmitFailure) {
                return .success(
                    try await submitter.submit(
                        item, bytes: bytes,
                        context: context { count in
                            reached.withLock { $0 = count }
                            if count > 1 << 20 { task.withLock { $0 }?.cancel() }
                        }))
            } catch {
                return .failure(error)
            }
        }
        task.withLock { $0 = running }
        started.continuation.yield()
        #expect(await running.value == .failure(.cancelled))
        #expect(reached.withLock { $0 } < 20 << 20)
        #expect(folder.names().isEmpty)
    }

    @Test func `a task cancelled beforehand stores nothing`() async throws {
        let submitter = try folder.submitter()
        let (item, bytes) = try folder.original([1])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await submitter.submit(item, bytes: bytes, context: context(album: "album"))
        }
        await #expect(throws: SubmitFailure.cancelled) { try await task.value }
        #expect(folder.names().isEmpty)
    }

    @Test(arguments: [true, false])
    func `an original that changes while it is copied is never stored`(hidesDescriptor: Bool) async throws {
        let submitter = try folder.submitter()
        let (item, bytes) = try folder.original(
            [UInt8](repeating: 7, count: 9 << 20), hidesDescriptor: hidesDescriptor)
        let source = item.source.string
        let failure = try await #require(throws: SubmitFailure.self) {
            try await submitter.submit(
                item, bytes: bytes,
                context: context { _ in
                    let descriptor = open(source, O_WRONLY)
                    pwrite(descriptor, [1], 1, (9 << 20) - 1)
                    close(descriptor)
                })
        }
        #expect(failure == TestBytes.changed)
        #expect(folder.names().isEmpty)
    }

    @Test func `bytes that differ from the item's digest are made again`() async throws {
        var (item, bytes) = try folder.original([1, 2, 3])
        item.digests[.sha256] = [UInt8](repeating: 0, count: 32)
        let (wrong, content) = (item, bytes)
        let failure = try await #require(throws: SubmitFailure.self) {
            try await folder.submitter().submit(wrong, bytes: content, context: context())
        }
        #expect(failure.remedy == .retry(after: nil))
        #expect(failure.code == "damaged")
        #expect(folder.names().isEmpty)
    }

    @Test(.enabled(if: getuid() != 0, "root may write anywhere"))
    func `a folder that cannot be written to holds`() async throws {
        chmod(folder.root, 0o555)
        let (item, bytes) = try folder.original([1])
        let submitter = try folder.submitter()
        let held = Remedy.hold(.misconfigured, after: nil)
        for failure in [
            try await #require(throws: SubmitFailure.self) {
                try await submitter.submit(item, bytes: bytes, context: context())
            }, try await #require(throws: SubmitFailure.self) { try await submitter.check() },
        ] {
            #expect(failure.remedy == held)
            #expect(failure.message.contains(folder.root))
        }
    }

    @Test(.enabled(if: getuid() == 0, "needs to mount"))
    func `a full disk and a read-only one hold and stay clean`() async throws {
        guard shell("mount -t tmpfs -o size=1m none '\(folder.root)' 2>/dev/null") else { return }
        defer { shell("umount '\(folder.root)'") }
        let submitter = try folder.submitter()
        for hidesDescriptor in [false, true] {
            let (item, bytes) = try folder.original(
                [UInt8](repeating: 1, count: 3 << 20), hidesDescriptor: hidesDescriptor)
            let full = try await #require(throws: SubmitFailure.self) {
                try await submitter.submit(item, bytes: bytes, context: context())
            }
            #expect(full.remedy == .hold(.full, after: nil))
            #expect(full.message.contains(folder.root))
            #expect(full.message.contains("MB"))
            #expect(folder.names().isEmpty)
        }
        try #require(shell("mount -o remount,ro '\(folder.root)'"))
        let (small, smallBytes) = try folder.original([1])
        let readOnly = try await #require(throws: SubmitFailure.self) {
            try await submitter.submit(small, bytes: smallBytes, context: context())
        }
        #expect(readOnly.remedy == .hold(.misconfigured, after: nil))
    }

    @Test(arguments: [false, true]) func `what it was tried with how names are given does not stay`(isGivenUp: Bool)
        async throws
    {
        let folder = TestFolder()
        let (item, bytes) = try folder.original([1, 2, 3])
        folder.write([1], to: folder.root + "/.submit-s-1.try")
        let submitter = try folder.submitter()
        if isGivenUp {
            try await submitter.discard(item, context: context("s-1", attempt: 2))
        } else {
            _ = try await submitter.submit(item, bytes: bytes, context: context("s-1", attempt: 2))
        }
        #expect(!TestFolder.all(folder.root).contains(".submit-s-1.try"))
    }
}
