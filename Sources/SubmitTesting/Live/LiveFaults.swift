/// What makes a live destination fail, for the promises about faults. See ``LiveHarness``.
public protocol LiveFaults: Sendable {
    /// Makes a fault, in place of the one that was made before.
    ///
    /// - Parameter requests: how many requests pass before; `nil`: none, and the reply that is lost is one that speaks of a
    ///   copy.
    /// - Returns: whether that can be made.
    /// - Throws: why it could not be made though it can be, which fails the case.
    func make(_ fault: ContractFault, after requests: Int?) async throws -> Bool

    /// Ends the fault that was made last; does nothing where there is none.
    ///
    /// - Throws: why it goes on, which fails the case.
    func end() async throws

    /// Whether a request met the fault that was made last; `true` where nobody can tell.
    var hasMetFault: Bool { get }
}

/// The faults of a submitter whose requests go by a transport, if any of them did so far.
public struct TransportFaults: LiveFaults {
    private let transport: FaultyTransport

    /// - Parameter transport: the one that the submitter's requests go by.
    public init(_ transport: FaultyTransport) { self.transport = transport }

    public func make(_ fault: ContractFault, after requests: Int?) -> Bool {
        guard transport.isUsed else { return false }
        transport.make(fault, after: requests)
        return true
    }

    public func end() { transport.end() }

    public var hasMetFault: Bool { transport.hasMetFault }
}
