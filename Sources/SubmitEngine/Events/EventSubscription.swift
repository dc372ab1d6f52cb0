/// Somebody listens to a manager's events: see ``SubmitManager/listen(to:_:)``.
///
/// It goes on until ``cancel()``, or until the manager is gone. Letting go of this value does not end it: a program that
/// listens as long as it runs has nobody to keep it, and Swift lets go of what is not used any more before its scope ends.
public final class EventSubscription: Sendable {
    // Whoever keeps it does not keep the manager's destinations.
    private weak let hub: EventHub?
    private let key: Int

    init(_ hub: EventHub, _ key: Int) {
        self.hub = hub
        self.key = key
    }

    /// Hands nothing more to the listener. A call that is under way on another thread comes to its end, and may do so after
    /// this returns. May be called from the listener itself, and more than once.
    public func cancel() {
        hub?.remove(key)
    }
}
