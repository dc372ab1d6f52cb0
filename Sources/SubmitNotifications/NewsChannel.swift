public import Submit

/// Somebody who is told news: a desktop, a server, a program.
public protocol NewsChannel: Sendable {
    /// What tells it from others; stays the same in later processes.
    var name: String { get }

    /// Tells it.
    ///
    /// - Throws: why it did not hear it. It is told again later, unless the remedy is to give up.
    func tell(_ news: News) async throws(SubmitFailure)
}
