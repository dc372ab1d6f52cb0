internal import Dispatch
internal import SubmitConcurrency
internal import SubmitHTTP

/// A server that gives fuzzed answers one after the other, with a record separator (U+001E) between them, and the last of
/// them some times more, after which it is not there.
final class FuzzedServer: HTTPTransport {
    let answers: [HTTPResponse]
    private let asked = Locked<[HTTPRequest]>([])

    private static let repeats = 8

    init(_ bytes: [UInt8]) {
        answers = bytes.split(separator: 0x1E, omittingEmptySubsequences: false).map { HTTPResponse(fuzzed: Array($0)) }
    }

    var requests: [HTTPRequest] { asked.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let number = asked.withLock { asked in
            asked.append(request)
            return asked.count
        }
        guard number <= answers.count + Self.repeats else { throw .cannotConnect("It has gone.") }
        let answer = answers[min(number, answers.count) - 1]
        guard answer.body.count <= request.responseLimit else { throw .badAnswer("It is too long.") }
        return answer
    }
}

/// Runs what waits for a server on the fuzzer's own thread: a fall shows where it came from, and each run is as the last.
func waiting(for body: @escaping @Sendable () async -> Void) {
    let thread = FuzzersThread()
    Task.detached(executorPreference: thread) {
        await body()
        thread.end()
    }
    thread.run()
}

private final class FuzzersThread: TaskExecutor {
    private let jobs = Locked<(waiting: [UnownedJob], isOver: Bool)>(([], false))
    private let there = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.waiting.append(job) }
        there.signal()
    }

    func end() { jobs.withLock { $0.isOver = true } }

    func run() {
        while !jobs.withLock({ $0.isOver }) {
            there.wait()
            let job = jobs.withLock { $0.waiting.removeFirst() }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
