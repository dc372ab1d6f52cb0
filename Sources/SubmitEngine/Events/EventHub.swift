internal import Submit
internal import SubmitConcurrency

/// Hands every event to everyone who listens for it.
final class EventHub: Sendable {
    /// What has to be told first.
    let announcements = Announcements()
    let telemetry: Telemetry

    private struct Listener: Sendable {
        let key: Int
        let filter: EventFilter
        let hear: @Sendable (SubmitEvent) -> Void
        /// Ends its stream, where it has one.
        let end: (@Sendable () -> Void)?
    }

    private struct State {
        var listeners: [Listener] = []
        var next = 0
    }

    private let state = Locked(State())

    init(_ telemetry: Telemetry = Telemetry()) { self.telemetry = telemetry }

    /// Hands all events from now on that pass to `listener`.
    func listen(_ filter: EventFilter, _ listener: @escaping @Sendable (SubmitEvent) -> Void) -> EventSubscription {
        EventSubscription(self, add(filter, listener, end: nil))
    }

    /// All events from now on that pass. Unbounded: a bounded buffer would lose some.
    func stream(_ filter: EventFilter) -> AsyncStream<SubmitEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SubmitEvent.self, bufferingPolicy: .unbounded)
        let key = add(filter, { continuation.yield($0) }, end: { continuation.finish() })
        continuation.onTermination = { [weak self] _ in self?.remove(key) }
        return stream
    }

    private func add(
        _ filter: EventFilter, _ hear: @escaping @Sendable (SubmitEvent) -> Void, end: (@Sendable () -> Void)?
    ) -> Int {
        state.withLock { state in
            state.next += 1
            state.listeners.append(Listener(key: state.next, filter: filter, hear: hear, end: end))
            return state.next
        }
    }

    /// Nothing more is handed to this listener.
    func remove(_ key: Int) {
        // What a listener holds may say farewell through us.
        let removed = state.withLock { state in
            state.listeners.firstIndex { $0.key == key }.map { state.listeners.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    func send(_ event: SubmitEvent) {
        telemetry.note(event)
        for listener in state.withLock({ $0.listeners }) where listener.filter.passes(event) { listener.hear(event) }
    }

    /// Ends all streams.
    func finish() {
        for listener in state.withLock({ $0.listeners }) { listener.end?() }
    }
}
