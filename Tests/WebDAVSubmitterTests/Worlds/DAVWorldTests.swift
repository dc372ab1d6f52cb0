import Foundation
import Submit
import Testing

@testable import WebDAVSubmitter

/// Servers that nobody chose, with an oracle that sees what they hold.
///
/// `SUBMIT_WORLDS=10000 SUBMIT_WORLD_SEED=1` draws more of them, from there on.
@Suite struct `A WebDAV server of drawn manners` {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["SUBMIT_WORLDS"].flatMap { Int($0) } ?? 500
    private static let first = environment["SUBMIT_WORLD_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1 << 32)

    @Test func `gets each item once, keeps what others have, and nothing is told that is not so`() async throws {
        let finds = Locked<[String]>([])
        await withTaskGroup { tasks in
            for lane in 0..<2 {
                tasks.addTask {
                    for number in stride(from: lane, to: Self.count, by: 2) where finds.withLock({ $0.count < 10 }) {
                        let seed = Self.first &+ UInt64(number)
                        guard let (world, complaints) = await Self.find(DAVWorld.drawn(seed)) else { continue }
                        finds.withLock { $0.append("seed \(seed): \(complaints.joined(separator: "; ")): \(world)") }
                    }
                }
            }
        }
        for find in finds.withLock({ $0 }) { Issue.record("\(find)") }
    }

    private typealias Item = DAVWorld.Item

    /// Those in which a promise was broken once, as small as they got.
    private static let found = [
        // Another photo of ours was replaced by one whose name differs by case.
        DAVWorld(
            manners: [.foldsCase], policy: .overwrite, items: [Item(name: "a.jpg", size: 300), Item(name: "A.JPG", size: 301)]),
        // Scratch files stayed where their removal was refused once.
        DAVWorld(items: [Item(name: "a.jpg", size: 300)], troubles: [61: .status500]),
        DAVWorld(items: [Item(name: "a.jpg", size: 300)], troubles: [61: .status429]),
        DAVWorld(
            manners: [.hidesDotfiles, .takesContentRange], items: [Item(name: "b.jpg", size: 300)],
            troubles: [48: .status503, 69: .status500]),
        // The same where they were to be removed without the lock that is demanded.
        DAVWorld(manners: [.demandsLocks428], items: [Item(name: "a.jpg", size: 1)], troubles: [49: .brokenMidway]),
        DAVWorld(manners: [.demandsLocks428], items: [Item(name: "a.jpg", size: 300)], troubles: [62: .killedAfter]),
        // A lock that was not let go of kept the next item out.
        DAVWorld(
            manners: [.demandsLocks, .ignoresOverwrite, .movesNowhere204], width: 3,
            items: [Item(name: "#1.jpg", size: 300), Item(name: "a.jpg", size: 301)],
            troubles: [91: .killedAfter, 148: .brokenMidway, 192: .status500, 308: .status423]),
    ]

    @Test(arguments: found) func `in which a promise was broken keeps it now`(_ world: DAVWorld) async throws {
        #expect(try await world.run().complaints == [])
    }

    /// A world in which a promise is broken, as small as it gets.
    private static func find(_ world: DAVWorld) async -> (DAVWorld, [String])? {
        guard let complaints = await broken(world) else { return nil }
        var (least, why) = (world, complaints)
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for smaller in least.smaller {
                guard let complaints = await broken(smaller) else { continue }
                (least, why, isSmaller) = (smaller, complaints, true)
                break
            }
        }
        return (least, why)
    }

    private static func broken(_ world: DAVWorld) async -> [String]? {
        do {
            let complaints = try await world.run().complaints
            return complaints.isEmpty ? nil : complaints
        } catch {
            return ["\(error)"]
        }
    }
}
