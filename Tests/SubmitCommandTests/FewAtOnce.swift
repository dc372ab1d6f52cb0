import Foundation
import Testing

/// Runs only some tests at a time: each has several processes and servers of its own, and times count in a few.
struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
    private static let places = Slots(4)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.places.acquire()
        do {
            try await function()
            await Self.places.giveBack()
        } catch {
            await Self.places.giveBack()
            throw error
        }
    }

    private actor Slots {
        private var free: Int
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(_ count: Int) { free = count }

        func acquire() async {
            if free > 0 {
                free -= 1
            } else {
                await withCheckedContinuation { waiting.append($0) }
            }
        }

        func giveBack() {
            if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
        }
    }
}

extension Trait where Self == FewAtOnce {
    static var fewAtOnce: FewAtOnce { FewAtOnce() }
}
