internal import Dispatch
internal import Foundation
internal import Submit

/// The thread on which programs are started and ended.
///
/// It is not one of those that tasks usually run on: a caller that waits for a program's first answer may hold one of
/// them, and all of them may be held so.
final class LaunchThread: TaskExecutor {
    static let shared = LaunchThread()

    private let jobs = Locked<[UnownedJob]>([])
    private let bell = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { self.run() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        bell.signal()
    }

    private func run() {
        while true {
            bell.wait()
            let due = jobs.withLock { jobs -> [UnownedJob] in
                defer { jobs = [] }
                return jobs
            }
            for job in due { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
