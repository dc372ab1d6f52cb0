internal import Foundation
internal import Logging
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SubmitPluginProtocol
internal import SubmitPrograms
internal import SystemPackage

/// One process of a program that is a submitter: what it is asked, what it asks, and its end.
///
/// One thread reads and writes all its pipes. What it is told waits in memory until the program reads it, which the
/// bounds on what may be open keep small.
final class Conversation: Sendable {
    struct State {
        var open: [Int: OpenRequest] = [:]
        var lastID = 0
        /// Questions without a whole reply, with the request that they belong to.
        var questions: [Int: Int?] = [:]
        var used = UsedRequestIDs()
        var outgoing = OutgoingLines()
        var type: TypeDescription?
        var settings: DestinationSettings?
        var texts = ProgramTexts()
        var words = OutputTail()
        var log: [String] = []
        /// That of whoever asked last.
        var logger = Logger.silent
        /// Why nothing more is said and heard.
        var end: ConversationEnd?
        var child: ChildProcess.Identity?
        /// The program's input can be written to.
        var hasInput = true
        /// Nobody reads the program's input.
        var lostInput = false
        /// When the thread wakes by itself; `nil`: never.
        var wakesAt: Duration?
        /// There never was a process.
        var isNotStarted = false
        /// The thread has closed the pipes.
        var isOver = false
    }

    /// The most questions that may be open at once.
    static let mostQuestions = 16
    /// How much of the log is kept.
    static let longestLog = 100

    let program: ExternalProgram
    let surroundings: ProgramEnvironment
    let state = Locked(State())
    let pipes: ProgramPipes
    let child = ChildProcess()
    /// Notes are kept and read in the order in which the program speaks of them.
    let noting = SerialTaskQueue()
    var clock: HostClock { surroundings.clock }
    var patience: ProgramTimeouts { surroundings.patience }

    init(_ program: ExternalProgram, _ surroundings: ProgramEnvironment, _ pipes: ProgramPipes) {
        self.program = program
        self.surroundings = surroundings
        self.pipes = pipes
    }

    /// Starts the program and the thread.
    func start(environment: [String: String], _ ends: ProgramPipes.Ends) {
        clock.onStep { [weak self] in self?.ring() }
        Thread.detachNewThread { self.attend() }
        RunningPrograms.begin(self)
        child.start(
            program.path, environment: environment, input: ends.input, output: ends.output, errors: ends.errors
        ) { started in
            switch started {
            case .success(let identity):
                self.state.withLock { $0.child = identity }
            case .failure(let error):
                self.state.withLock { $0.isNotStarted = true }
                self.end(.notStarted(error))
            }
            self.ring()
        }
    }

    /// Whether nothing can be asked any more.
    var isOver: Bool { state.withLock { $0.end != nil } }

    /// Returns when nothing is left of the process.
    ///
    /// - Throws: when even `SIGKILL` did not help for long, as where the disk that it waits for does not answer;
    ///   ``SubmitFailure/cancelled``, at once, when the task is.
    func gone() async throws(SubmitFailure) {
        let end = ContinuousClock.now + patience.leaving + patience.terminating + .seconds(30)
        while !child.isGone {
            guard ContinuousClock.now < end else {
                throw SubmitFailure(
                    .retry(after: nil), code: "submitter-hung",
                    message:
                        "A process of “\(program.path)” does not end, even when it is killed: look what it waits for.")
            }
            do {
                try await Task.sleep(for: .milliseconds(5))
            } catch {
                throw .cancelled
            }
        }
    }

    /// The process, for whoever looks for a fault.
    var process: pid_t? { state.withLock { $0.child?.process } }

    /// What the program last wrote for whoever looks for a fault, oldest first.
    var log: [String] { state.withLock { $0.log } }

    /// Wakes the thread.
    func ring() {
        state.withLock { state in
            if !state.isOver { withUnsafeBytes(of: UInt8(0)) { _ = pipes.bell.ring.writeNow($0) } }
        }
    }

    // MARK: Asking

    /// Asks, and calls `finish` once, from whatever thread.
    ///
    /// - Returns: the request's number, to cancel it by; `nil` where it has ended already.
    @discardableResult
    func ask(
        _ request: HostRequest, _ attempt: HostedAttempt? = nil, finish: @escaping @Sendable (OpenRequest.End) -> Void
    ) -> Int? {
        let now = clock.now()
        let deadline: Duration? =
            switch request {
            case .hello: now + patience.greeting
            case .configure: now + patience.configuring
            default: nil
            }
        let (id, silence) = state.withLock { state in
            state.lastID += 1
            return (state.lastID, state.type?.silenceSeconds ?? 300)
        }
        let open = OpenRequest(
            request: request, attempt: attempt, logger: .current, deadline: deadline,
            silence: deadline.map { $0 - now } ?? .seconds(silence), lastSign: now, finish: finish)
        let message = HostMessage.request(id: id, request)
        let line = message.line
        let isTooLate = state.withLock { state in
            guard state.end == nil else { return true }
            state.open[id] = open
            state.logger = open.logger
            state.outgoing.append(line)
            return false
        }
        trace(message, of: id)
        if isTooLate {
            fail([open])
            return nil
        }
        write()
        ringInTime()
        return id
    }

    /// Asks and waits. Cancelling the task cancels the request, which then still has to end.
    func ask(_ request: HostRequest, _ attempt: HostedAttempt? = nil) async -> OpenRequest.End {
        enum Phase {
            case idle
            case asked(Int)
            case cancelled
        }
        let phase = Locked(Phase.idle)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if phase.withLock({ if case .cancelled = $0 { true } else { false } }) {
                    return waiter.resume(returning: .failure(.cancelled))
                }
                guard let id = ask(request, attempt, finish: { waiter.resume(returning: $0) }) else { return }
                let isCancelled = phase.withLock { phase in
                    if case .cancelled = phase { return true }
                    phase = .asked(id)
                    return false
                }
                if isCancelled { cancel(id) }
            }
        } onCancel: {
            let id = phase.withLock { phase -> Int? in
                defer { phase = .cancelled }
                return if case .asked(let id) = phase { id } else { nil }
            }
            if let id { cancel(id) }
        }
    }

    /// Wakes the thread, where by itself it would sleep beyond what has become due earlier than it knew.
    func ringInTime() {
        let isLate = state.withLock { state in
            guard let due = state.open.values.lazy.compactMap(\.due).min() else { return false }
            return state.wakesAt.map { $0 > due } ?? true
        }
        if isLate { ring() }
    }

    /// Asks, and holds the thread until it has ended.
    func askBlocking(_ request: HostRequest) -> OpenRequest.End {
        let answer = Locked<OpenRequest.End?>(nil)
        let bell = DispatchSemaphore(value: 0)
        ask(request) { end in
            answer.withLock { $0 = end }
            bell.signal()
        }
        bell.wait()
        return answer.withLock { $0 } ?? .failure(.cancelled)
    }

    private func cancel(_ id: Int) {
        let deadline = clock.now() + patience.cancelling
        let line = HostMessage.cancel(id: id).line
        let open = state.withLock { state -> OpenRequest? in
            guard let open = state.open[id], open.cancelDeadline == nil else { return nil }
            state.open[id]?.cancelDeadline = deadline
            state.outgoing.append(line)
            return open
        }
        guard let open else { return }
        trace(.cancel(id: id), of: id)
        open.attempt?.cancel()
        // A program that is not even configured has nothing to lose.
        if open.deadline != nil { end(.ignoredCancel) }
        write()
        ring()
    }

    /// Writes what the program takes now, on the caller's thread: waking another one for it would cost more than the
    /// writing. What is left is the thread's to write, when there is room.
    func write() {
        let isStuck = state.withLock { state in
            while state.hasInput, !state.lostInput, !state.outgoing.isEmpty {
                switch state.outgoing.next.withUnsafeBytes({ pipes.input.writeNow($0) }) {
                case .later: return true
                case .over: state.lostInput = true
                case .bytes(let count):
                    if let question = state.outgoing.advance(count) { state.questions[question] = nil }
                }
            }
            return state.lostInput
        }
        if isStuck { ring() }
    }

    // MARK: Ending

    /// Nothing is asked of it any more: its input ends, and it soon after.
    func letGo() {
        let isUsed = state.withLock { $0.lastID > 2 && $0.open.isEmpty }
        end(.letGo, hasTime: isUsed)
    }

    /// Says and hears nothing more, fails what is open, and ends the process.
    ///
    /// - Parameter hasTime: it is given time to end by itself.
    func end(_ end: ConversationEnd, hasTime: Bool = false) {
        let open = state.withLock { state -> [OpenRequest]? in
            guard state.end == nil else { return nil }
            state.end = end
            state.outgoing.removeAll()
            state.questions = [:]
            defer { state.open = [:] }
            return state.open.sorted { $0.key < $1.key }.map(\.value)
        }
        guard let open else { return }
        child.end(leaving: hasTime ? patience.leaving : nil, terminating: patience.terminating)
        ring()
        fail(open)
    }

    private func fail(_ open: [OpenRequest]) {
        if open.isEmpty { return }
        let (end, texts, text, destination) = state.withLock { state in
            (state.end ?? .letGo, state.texts, state.words.text, state.settings?.destination)
        }
        let words = texts.excerpt(text)
        for request in open {
            request.logger.debug(
                "plug-in ended",
                metadata: ["program": .string(program.path.string), "reason": "\(end)", "said": .string(words)])
        }
        for request in open {
            request.attempt?.close()
            request.finish(.failure(request.failure(end, of: program, for: destination, words: words)))
        }
    }
}
