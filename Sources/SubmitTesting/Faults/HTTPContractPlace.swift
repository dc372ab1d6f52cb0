public import Submit

/// A place whose submitters send their requests by a ``FaultyTransport``, which makes all faults of the contract.
///
/// A place that can make some of them itself gives its own ``ContractPlace/submitter(meeting:)`` and leaves the rest to
/// ``submitter(byWire:)``.
public protocol HTTPContractPlace: ContractPlace {
    /// What carries the requests of all submitters that this place makes.
    var wire: FaultyTransport { get }
}

extension HTTPContractPlace {
    public func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        try await submitter(byWire: fault)
    }

    /// A submitter whose requests fail so.
    ///
    /// - Throws: as ``ContractPlace/makeSubmitter()``.
    public func submitter(byWire fault: ContractFault) async throws -> (any Submitter)? {
        wire.make(fault)
        return try await makeSubmitter()
    }

    public func submitter(meeting fault: ContractFault, atRequest number: Int) async throws -> (any Submitter)? {
        wire.make(fault, after: number)
        return try await makeSubmitter()
    }

    public var hasMetFault: Bool { wire.hasMetFault }

    /// Lets all requests pass again.
    public func endFault() { wire.end() }
}
