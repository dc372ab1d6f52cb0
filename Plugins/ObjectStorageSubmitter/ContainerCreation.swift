internal import Submit
internal import SubmitConcurrency

/// Makes containers, each once, however many submissions need it.
final class ContainerCreation: Sendable {
    private let turn = KeyedLock()
    private let made = Locked<Set<String>>([])

    /// - Returns: whether this call made it.
    /// - Throws: why it cannot be made. The next call tries again.
    @discardableResult
    func ensure(_ container: any ObjectContainer) async throws(SubmitFailure) -> Bool {
        let name = container.name
        if made.withLock({ $0.contains(name) }) { return false }
        guard await turn.acquire(name) else { throw .cancelled }
        defer { turn.release(name) }
        if made.withLock({ $0.contains(name) }) { return false }
        let isNew = try await container.create()
        made.withLock { _ = $0.insert(name) }
        return isNew
    }

    /// Lets the next call look again: someone has removed it.
    func forget(_ name: String) {
        made.withLock { _ = $0.remove(name) }
    }
}
