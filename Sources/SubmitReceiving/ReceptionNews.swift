internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
internal import SubmitStore
internal import SystemPackage

/// What changed of which session, by numbers that grow, also from one process to the next.
final class ReceptionNews: Sendable {
    private struct HeardSession {
        var changed: [IncomingFileID: UInt64] = [:]
        /// Something changed of which nobody knows the file.
        var all: UInt64 = 0
        var isOver = false
        var watchers: [UInt64: AsyncEvent] = [:]
    }

    private struct State {
        var last: UInt64
        var sessions: [SessionID: HeardSession] = [:]
        var sessionOf: [IncomingFileID: SessionID] = [:]
        var kept: [FilePath: IncomingFileID] = [:]
    }

    /// Numbers up to this one are of earlier processes.
    let start: UInt64
    private let state: Locked<State>

    init() {
        // Of two processes the later one has the greater numbers, however much the first one had to tell.
        start = UInt64(max(0, Timestamp.now.nanoseconds / 1000))
        state = Locked(State(last: start))
    }

    var last: UInt64 { state.withLock { $0.last } }

    // MARK: Telling

    /// From now on changes of the file are told to its session.
    func know(_ file: IncomingFileID, of session: SessionID, keptAt path: FilePath? = nil) {
        state.withLock { state in
            state.sessionOf[file] = session
            if let path { state.kept[path] = file }
        }
    }

    func begin(_ file: IncomingFileID, of session: SessionID) {
        know(file, of: session)
        note(file)
    }

    func note(_ file: IncomingFileID) {
        ring(
            state.withLock { state in
                guard let session = state.sessionOf[file] else { return [] }
                state.last += 1
                state.sessions[session, default: HeardSession()].changed[file] = state.last
                return Array(state.sessions[session]!.watchers.values)
            })
    }

    func note(_ session: SessionID) {
        ring(
            state.withLock { state in
                state.last += 1
                state.sessions[session, default: HeardSession()].all = state.last
                return Array(state.sessions[session]!.watchers.values)
            })
    }

    /// Nothing more comes of the session. Who watches it hears so.
    func end(_ session: SessionID) {
        ring(
            state.withLock { state in
                state.last += 1
                state.sessions[session, default: HeardSession()].isOver = true
                let events = Array(state.sessions[session]!.watchers.values)
                if events.isEmpty { state.sessions[session] = nil }
                return events
            })
    }

    func hear(_ event: SubmitEvent, _ folder: IncomingFolder) {
        switch event {
        case .started(let note), .done(let note, _), .failed(let note, _), .waiting(let note, _, _),
            .cancelled(let note):
            let source = note.item.source
            if let id = folder.id(of: source) ?? state.withLock({ $0.kept[source] }) { self.note(id) }
        default: break
        }
    }

    private func ring(_ events: [AsyncEvent]) { for event in events { event.signal() } }

    // MARK: Hearing

    /// Files that changed after a number, and the number to go on from; `nil` in place of files: all may have.
    func changed(
        of session: SessionID, after sequence: UInt64
    ) -> (files: [IncomingFileID]?, sequence: UInt64, isOver: Bool) {
        state.withLock { state in
            guard let known = state.sessions[session] else { return (sequence < start ? nil : [], state.last, false) }
            if sequence < start || known.all > sequence { return (nil, state.last, known.isOver) }
            return (known.changed.filter { $0.value > sequence }.map(\.key), state.last, known.isOver)
        }
    }

    /// When a file last changed.
    func sequence(of file: IncomingFileID) -> UInt64 {
        state.withLock { state in
            state.sessionOf[file].flatMap { state.sessions[$0]?.changed[file] } ?? start
        }
    }

    func watch(_ session: SessionID) -> (number: UInt64, event: AsyncEvent) {
        state.withLock { state in
            let event = AsyncEvent()
            state.last += 1
            state.sessions[session, default: HeardSession()].watchers[state.last] = event
            return (state.last, event)
        }
    }

    func leave(_ session: SessionID, _ number: UInt64) {
        state.withLock { state in
            state.sessions[session]?.watchers[number] = nil
            if let known = state.sessions[session], known.isOver, known.watchers.isEmpty {
                state.sessions[session] = nil
            }
        }
    }
}
