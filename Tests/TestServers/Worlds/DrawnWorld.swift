internal import Foundation
internal import Submit
internal import SubmitConcurrency

/// A server of drawn manners, what others have there, what is sent to it, and what goes wrong on the way: the same for the
/// same seed. Its description is Swift, to be pasted into a test.
public protocol DrawnWorld: Sendable, Hashable, CustomStringConvertible {
    static func drawn(_ seed: UInt64) -> Self

    /// The same with one thing less, in all ways.
    var smaller: [Self] { get }

    /// Sends all of it and looks with the server's own eyes at what became of it.
    ///
    /// - Returns: which promises were broken.
    func run() async throws -> [String]
}

extension DrawnWorld {
    /// Draws `count` worlds, from `first` on.
    ///
    /// - Returns: those in which a promise was broken, each as small as it gets; at most ten.
    public static func finds(_ count: Int, from first: UInt64) async -> [String] {
        let finds = Locked<[String]>([])
        await withTaskGroup { tasks in
            for lane in 0..<2 {
                tasks.addTask {
                    for number in stride(from: lane, to: count, by: 2) where finds.withLock({ $0.count < 10 }) {
                        let seed = first &+ UInt64(number)
                        guard let (world, complaints) = await smallest(drawn(seed)) else { continue }
                        finds.withLock { $0.append("seed \(seed): \(complaints.joined(separator: "; ")): \(world)") }
                    }
                }
            }
        }
        return finds.withLock { $0 }
    }

    private static func smallest(_ world: Self) async -> (Self, [String])? {
        guard let complaints = await world.complaints() else { return nil }
        var (least, why) = (world, complaints)
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for smaller in least.smaller {
                guard let complaints = await smaller.complaints() else { continue }
                (least, why, isSmaller) = (smaller, complaints, true)
                break
            }
        }
        return (least, why)
    }

    private func complaints() async -> [String]? {
        do {
            let complaints = try await run()
            return complaints.isEmpty ? nil : complaints
        } catch {
            return ["\(error)"]
        }
    }

    /// This with one change, unless that changes nothing.
    public func changed(_ change: (inout Self) -> Void) -> [Self] {
        var world = self
        change(&world)
        return world == self ? [] : [world]
    }
}

extension Int {
    /// How many worlds are drawn: `SUBMIT_WORLDS`, or some.
    public static let drawnWorlds = ProcessInfo.processInfo.environment["SUBMIT_WORLDS"].flatMap { Int($0) } ?? 100
}

extension UInt64 {
    /// With which the drawing begins: `SUBMIT_WORLD_SEED`, or always the same, so that who changed nothing sees nothing new.
    public static let firstWorld =
        ProcessInfo.processInfo.environment["SUBMIT_WORLD_SEED"].flatMap { UInt64($0) } ?? 19
}

extension WorldTrouble {
    /// Up to four, at requests of these numbers.
    public static func drawn(in requests: Range<Int>, _ numbers: inout SeededNumbers) -> [Int: WorldTrouble] {
        var troubles: [Int: WorldTrouble] = [:]
        for _ in 0..<Int.random(in: 0...4, using: &numbers) {
            troubles[.random(in: requests, using: &numbers)] = allCases.randomElement(using: &numbers)
        }
        return troubles
    }
}
