internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SubmitPluginProtocol
internal import SubmitPrograms
internal import SystemPackage

extension Conversation {
    /// The thread: reads and writes the pipes, keeps the deadlines, and sees to it that nothing is left in the end.
    func attend() {
        var ears = Ears()
        while !ears.hasExited {
            let now = clock.now()
            let look = state.withLock { state -> Look? in
                if state.isNotStarted { return nil }
                // Where nothing is due, waking for what was due before does no harm, and saves being woken for what
                // will be.
                let due = state.open.values.compactMap(\.due).min() ?? state.wakesAt.flatMap { $0 > now ? $0 : nil }
                state.wakesAt = due
                return Look(
                    child: state.child, end: state.end,
                    hasOutgoing: state.hasInput && !state.lostInput && !state.outgoing.isEmpty, due: due)
            }
            guard let look else { break }
            if look.end != nil { hangUp(&ears) }
            let ready = wait(look, ears)
            if ready.bell { emptyBell() }
            if ready.errors { readErrors(&ears) }
            if ready.output { readOutput(&ears) }
            if ready.input { write() }
            if state.withLock({ $0.lostInput }) { ears.lostPipe = true }
            if ready.exit || look.child.map({ $0.descriptor < 0 && status(of: $0) != nil }) == true {
                ears.hasExited = true
            }
            // Whoever ends loses its pipes a moment before it has ended, and maybe before we know that it was started.
            if ears.lostPipe, !ears.hasExited, look.end == nil, let child = look.child {
                if hasSoonExited(child) { ears.hasExited = true } else { end(.closedPipes) }
            }
            keepDeadlines()
        }
        if ears.hasExited { bury(&ears) }
        hangUp(&ears)
        ears.closeErrors(pipes)
        state.withLock { state in
            state.isOver = true
            try? pipes.bell.hear.close()
            try? pipes.bell.ring.close()
        }
        child.sawExit()
    }

    /// Which of our ends are open, and what was begun to be read.
    private struct Ears {
        var splitter = LineSplitter(limit: PluginProtocol.longestLine)
        var hasOutput = true
        var hasErrors = true
        /// The program closed its input or output.
        var lostPipe = false
        var hasExited = false

        mutating func closeOutput(_ pipes: ProgramPipes) {
            if hasOutput { try? pipes.output.close() }
            hasOutput = false
        }

        mutating func closeErrors(_ pipes: ProgramPipes) {
            if hasErrors { try? pipes.errors.close() }
            hasErrors = false
        }
    }

    private struct Look {
        let child: ChildProcess.Identity?
        let end: ConversationEnd?
        let hasOutgoing: Bool
        let due: Duration?
    }

    private func wait(
        _ look: Look, _ ears: Ears
    ) -> (bell: Bool, output: Bool, errors: Bool, input: Bool, exit: Bool) {
        // poll(2) passes over what is negative.
        var watched = [
            pollfd(fd: pipes.bell.hear.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(
                fd: ears.hasOutput && !ears.lostPipe ? pipes.output.rawValue : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ears.hasErrors ? pipes.errors.rawValue : -1, events: Int16(POLLIN), revents: 0),
            pollfd(
                fd: !ears.lostPipe && look.hasOutgoing ? pipes.input.rawValue : -1,
                events: Int16(POLLOUT), revents: 0),
            pollfd(fd: look.child?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        var patience: Int64 = look.due.map { max(0, ($0 - clock.now()).milliseconds) } ?? -1
        // Without a descriptor for the process, looking now and then has to do.
        if let child = look.child, child.descriptor < 0 { patience = patience < 0 ? 100 : min(patience, 100) }
        let count = poll(&watched, nfds_t(watched.count), CInt(clamping: patience))
        if count <= 0 { return (false, false, false, false, false) }
        let isReady = watched.map { $0.revents != 0 }
        return (isReady[0], isReady[1], isReady[2], isReady[3], isReady[4])
    }

    /// Closes what goes to the program, and what it says to us.
    private func hangUp(_ ears: inout Ears) {
        state.withLock { state in
            if state.hasInput { try? pipes.input.close() }
            state.hasInput = false
        }
        ears.closeOutput(pipes)
    }

    private func emptyBell() {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            while case .bytes(256) = pipes.bell.hear.readNow(into: buffer) {}
        }
    }

    private static let pieceLength = 64 << 10

    /// Reads what is there, up to one piece.
    @discardableResult
    private func readOutput(_ ears: inout Ears) -> Bool {
        guard ears.hasOutput, !ears.lostPipe else { return false }
        return withUnsafeTemporaryAllocation(byteCount: Self.pieceLength, alignment: 8) { buffer in
            switch pipes.output.readNow(into: buffer) {
            case .later: return false
            case .over:
                ears.lostPipe = true
                return false
            case .bytes(let count):
                do throws(LineSplitter.TooLong) {
                    try ears.splitter.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { hear($0) }
                } catch {
                    end(.misbehaved("wrote a line of more than \(PluginProtocol.longestLine) bytes"))
                    hangUp(&ears)
                }
                return true
            }
        }
    }

    @discardableResult
    private func readErrors(_ ears: inout Ears) -> Bool {
        guard ears.hasErrors else { return false }
        return withUnsafeTemporaryAllocation(byteCount: Self.pieceLength, alignment: 8) { buffer in
            switch pipes.errors.readNow(into: buffer) {
            case .later: return false
            case .over:
                ears.closeErrors(pipes)
                return false
            case .bytes(let count):
                state.withLock { $0.words.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                return true
            }
        }
    }

    private func keepDeadlines() {
        let now = clock.now()
        let verdict = state.withLock { state in
            state.open.values.lazy.compactMap { $0.verdict(at: now) }.first
        }
        if let verdict { end(verdict) }
    }

    // MARK: The end

    /// Hears what is left to hear, and ends what the program leaves behind in its group.
    private func bury(_ ears: inout Ears) {
        // Bounded: whatever it started may go on writing.
        for _ in 0..<32 where readErrors(&ears) {}
        ears.lostPipe = false
        for _ in 0..<32 where state.withLock({ $0.end == nil }) && readOutput(&ears) {}
        guard let child = state.withLock({ $0.child }) else { return }
        kill(-child.process, SIGKILL)
        end(status(of: child) ?? .closedPipes)
    }

    /// How a process ended, if it has. It stays a zombie: its number is still its own.
    private func status(of child: ChildProcess.Identity) -> ConversationEnd? {
        var information = siginfo_t()
        guard waitid(P_PID, id_t(child.process), &information, WEXITED | WNOWAIT | WNOHANG) == 0,
            information.si_signo == SIGCHLD
        else { return nil }
        let status = information._sifields._sigchld.si_status
        return information.si_code == CInt(CLD_EXITED) ? .exited(status: status) : .killed(signal: status)
    }

    private func hasSoonExited(_ child: ChildProcess.Identity) -> Bool {
        if child.descriptor < 0 { return status(of: child) != nil }
        var watched = pollfd(fd: child.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 200) > 0
    }
}
