public import Submit

/// How sure copies at a destination can be, as far as that is known before any is sent.
public enum DestinationProof: Sendable, Hashable {
    /// It proves them by itself.
    case verified
    /// It proves less by itself, where that is known, and they can be read back.
    case readBack(Evidence?)
    /// Nothing is known of it yet: what it says of the first one tells.
    case unknown
    /// They never count where a source depends on them, and why: one sentence.
    case never(SubmitFailure)
}

extension SubmitManager {
    /// How sure copies at these destinations can be, in their order.
    ///
    /// - Parameter asked: as ``SubmitRequest/rendition``.
    /// - Throws: `unknown-destination`, to give up with; when the journal fails (`journal…`, to be tried again).
    public func proofs(
        at destinations: [String], asked: RenditionPolicy? = nil
    ) async throws(SubmitFailure) -> [(destination: String, proof: DestinationProof)] {
        var proofs: [(destination: String, proof: DestinationProof)] = []
        for name in destinations { proofs.append((name, try await proof(at: try destination(named: name), asked))) }
        return proofs
    }

    private func proof(
        at destination: Destination, _ asked: RenditionPolicy?
    ) async throws(SubmitFailure) -> DestinationProof {
        let facts = destination.submitter.capabilities
        if let doubt = destination.doubt(facts.canReadBack ? .readback : .usual, asked) { return .never(doubt) }
        let last = try await store.lastEvidence(at: destination.name)
        let usual = facts.proves ?? last
        if usual == .verified { return .verified }
        if facts.canReadBack { return .readBack(usual) }
        guard let usual else { return .unknown }
        return .never(
            SubmitFailure(
                .giveUp, code: "remove-source",
                message: "“\(destination.name)” proved its last copy by “\(usual.rawValue)” only, which does not count."
            ))
    }
}
