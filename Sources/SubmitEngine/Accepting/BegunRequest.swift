public import Submit
public import SubmitStore

/// A stored request whose items aren't accepted yet.
public struct BegunRequest: Sendable {
    let manager: SubmitManager
    let acceptor: Acceptor
    let open: OpenAcceptance

    /// The batch that its items become a part of.
    public var batch: BatchID { open.batch }

    /// What was asked for.
    public var request: SubmitRequest { acceptor.request }

    /// Accepts the items; see ``SubmitManager/accept(_:into:)``. Call it once.
    ///
    /// Cancelling the task ends it. ``SubmitManager/completeAcceptance(of:)`` accepts the rest.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func accept() async throws(SubmitFailure) -> Acceptance { try await manager.accept(acceptor, open) }
}
