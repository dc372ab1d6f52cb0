import Foundation
import Submit
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@testable import SubmitEngine

/// Acceptances that end before all is read: nothing is read on, however large it is.
@Suite struct EndedAcceptanceTests {
    private struct Full: Error {}

    /// With a file that nobody reads to its end within a test's time, after one that makes a group of its own.
    private static func shop() throws -> (Workshop, [FilePath]) {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let paths = [try shop.photo("IMG_0001.jpg"), try shop.photo("IMG_0002.jpg")]
        for (path, size) in zip(paths, [17 << 20, 4 << 40]) where truncate(path.string, size) != 0 {
            throw Errno(rawValue: errno)
        }
        return (shop, paths)
    }

    private static func isOpen(_ path: FilePath) -> Bool {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path.string
        }
    }

    /// Returns when the file is open, or no longer. On a thread of its own, as tasks that wait so let no other go on.
    private static func wait(for path: FilePath, toBeOpen isOpen: Bool) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while Self.isOpen(path) != isOpen { sched_yield() }
                continuation.resume()
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `one that is cancelled reads no further`() async throws {
        let (shop, paths) = try Self.shop()
        let task = Task { try await shop.accept([paths[1]]) }
        await Self.wait(for: paths[1], toBeOpen: true)
        task.cancel()
        _ = try? await task.value
        #expect(!Self.isOpen(paths[1]))
    }

    @Test(.timeLimit(.minutes(1)))
    func `one whose findings nobody can write down reads no further`() async throws {
        let (shop, paths) = try Self.shop()
        let acceptor = Acceptor(
            SubmitRequest(paths: paths, destinations: ["a"]), shop.manager.destinations, shop.journal,
            Spool(shop.journal))
        await #expect(throws: Full.self) {
            try await acceptor.run { (_) async throws(Full) in
                await Self.wait(for: paths[1], toBeOpen: true)
                throw Full()
            }
        }
        await Self.wait(for: paths[1], toBeOpen: false)
    }
}
