import Foundation
import Submit

/// Threads for what plug-ins do in this process.
///
/// An item's bytes are read by message, which holds the thread until the host has answered. In a program of its own
/// that harms nobody; here it would hold the very threads on which the host answers.
final class OwnThreads: TaskExecutor {
    static let shared = OwnThreads()

    private let jobs = Locked<[UnownedJob]>([])
    private let bell = DispatchSemaphore(value: 0)

    private init() {
        for _ in 1...4 { Thread.detachNewThread { self.run() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        bell.signal()
    }

    private func run() {
        while true {
            bell.wait()
            jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
