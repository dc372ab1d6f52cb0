import Foundation
import Submit
import SubmitConcurrency
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

/// Files that a program still has open for writing.
@Suite struct WriterTests {
    private func open(_ path: FilePath, _ flags: CInt = O_WRONLY | O_APPEND) throws -> FileDescriptor {
        let descriptor = path.withPlatformString { Glibc.open($0, flags | O_CLOEXEC) }
        #expect(descriptor >= 0)
        return FileDescriptor(rawValue: descriptor)
    }

    private func request(_ shop: Workshop, named: Bool = false) -> SubmitRequest {
        let folder = shop.folder.appending("photos")
        return SubmitRequest(
            paths: named ? [folder.appending("half.jpg"), folder] : [folder], destinations: ["a"], skipsUnchanged: true)
    }

    @Test(arguments: [false, true])
    func `a file that a program has open for writing is left for later, and is taken whole when it is closed`(
        named: Bool
    ) async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let (half, _) = (try shop.photo("half.jpg"), try shop.photo("whole.jpg"))
        let writer = try open(half)
        let first = try await shop.manager.accept(request(shop, named: named))
        #expect(first.accepted == 1 && first.refusals.isEmpty && first.unfinished == [half])
        #expect(first.leftBehind.lines.map { "\($0.reason) \($0.count)" } == ["beingWritten 1"])
        try writer.writeAll([1, 2, 3])
        try writer.close()
        let second = try await shop.manager.accept(request(shop, named: named))
        #expect(second.accepted == 1 && second.leftBehind.count == 0 && second.bytes == 303)
        try await shop.run(first.batch)
        try await shop.run(second.batch)
        #expect(shop["a"].contents.mapValues(\.count) == ["half.jpg": 303, "whole.jpg": 300])
    }

    @Test func `an item that a program has open for writing is refused with a reason of its own`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let half = try shop.photo("half.jpg")
        let writer = try open(half)
        defer { try? writer.close() }
        let acceptance = try await shop.manager.accept(
            SubmitRequest(items: [SubmitItem(source: .file(half))], destinations: ["a"]))
        #expect(acceptance.refusals.map(\.failure.code) == ["being-written"])
    }

    @Test func `a file that somebody only reads is taken`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let reader = try open(try shop.photo("one.jpg"), O_RDONLY)
        defer { try? reader.close() }
        #expect(try await shop.manager.accept(request(shop)).accepted == 1)
    }

    @Test func `files are not safe while a program is still writing one, even if all that is there was sent`()
        async throws
    {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let half = try shop.photo("half.jpg")
        try await shop.run(try await shop.manager.accept(request(shop)).batch)
        let writer = try open(half)
        let messages = Locked<[String]>([])
        let report = try await shop.manager.safety(of: request(shop)) { file in
            messages.withLock { $0.append(file.message) }
        }
        #expect(!report.isSafe && report.files == 1 && report.safe == 0)
        #expect(messages.withLock { $0 } == ["It is still being written."])
        try writer.close()
        #expect(try await shop.manager.safety(of: request(shop)) { _ in }.isSafe)
    }

    @Test(arguments: RemovalManner.allCases)
    func `a source that a program has open for writing is not removed`(manner: RemovalManner) async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2, manner)
        let writer = try open(source)
        let kept = try await shop.remove()
        #expect(shop.exists(source) && kept.map(\.isForGood) == [false])
        #expect(kept.first?.failure.message.contains("still writing it") == true, "\(kept)")
        try writer.close()
        #expect(try await shop.remove().isEmpty)
        #expect(!shop.exists(source))
    }

    @Test(arguments: RemovalManner.allCases, [true, false])
    func `bytes that are written while the copies are looked at once more are not removed`(
        manner: RemovalManner, isClosed: Bool
    ) async throws {
        let shop = try Workshop()
        let source = try shop.photo("a.jpg")
        _ = try await shop.submit([source], when: 2, manner)
        let writers = Locked<[FileDescriptor]>([])
        let names = Locked<[FilePath]>([])
        try await shop.manager.removeSources(
            of: nil, unusable: [:], environment: ["XDG_DATA_HOME": shop.dataHome.string]
        ) { step in
            guard step == .lookedAgain else { return false }
            // By a name that it has while it is put aside, as a descriptor that stayed open would.
            let aside = (shop.names(in: shop.folder.appending("photos"))).first.map {
                shop.folder.appending("photos").appending($0)
            }
            let path = aside ?? shop.dataHome.appending("Trash/files/a.jpg")
            names.withLock { $0.append(path) }
            let descriptor = path.withPlatformString { Glibc.open($0, O_WRONLY | O_APPEND | O_CLOEXEC) }
            let writer = FileDescriptor(rawValue: descriptor)
            if isClosed { _ = try? writer.writeAll([1, 2, 3]) }
            if isClosed { try? writer.close() } else { writers.withLock { $0.append(writer) } }
            return false
        }
        #expect(names.withLock { $0.count } == 1)
        #expect(shop.exists(source) && shop.trashed.isEmpty)
        let size = try Data(contentsOf: URL(fileURLWithPath: source.string)).count
        #expect(size == (isClosed ? 303 : 300))
        for writer in writers.withLock({ $0 }) { try writer.close() }
    }

    @Test func `a recent file on a share has to stay as it is between two looks`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let path = try shop.photo("one.jpg")
        var status = stat()
        #expect(path.withPlatformString { stat($0, &status) } == 0)
        let seen = SourceIdentity(status)
        let writers = FileWriters(shares: [seen.device])
        #expect(writers.needsRest(path, seen) && !writers.isWriting(path, since: seen))
        let writer = try open(path)
        // A list of open files is believed for a second.
        #expect(FileWriters(shares: [seen.device]).isWriting(path, since: seen), "its writer is in /proc")
        try writer.writeAll([1])
        try writer.close()
        #expect(FileWriters(shares: [seen.device]).isWriting(path, since: seen), "it has changed since")
        var old = seen
        (old.modified, old.changed) = (Timestamp(nanoseconds: 0), Timestamp(nanoseconds: 0))
        #expect(!writers.needsRest(path, old), "nobody has been writing it for years")
        #expect(!FileWriters().needsRest(path, seen), "a local file need not rest")
    }
}
