public import Submit

/// The size and the digests that a destination states for a copy.
///
/// Submitters gather findings. ``verdict(on:digests:)`` judges how sure it is that the copy is the item.
public struct CopyFindings: Sendable, Hashable {
    /// The copy's length in bytes; `nil` if unknown.
    public var size: Int64?
    /// Digests that the destination computed.
    public var computed = Digests()
    /// Digests that the destination stores as they were sent to it.
    public var echoed = Digests()
    /// Values that may be digests that the destination computed, such as an ETag that looks like an MD5.
    public var possible = Digests()

    /// - Parameter size: the copy's length in bytes; `nil` if unknown.
    public init(size: Int64? = nil) { self.size = size }

    /// Judges whether the copy is an item.
    ///
    /// - Parameter digests: all that are known of the item; `nil` for those that it comes with.
    public func verdict(on item: MediaItem, digests: Digests? = nil) -> CopyVerdict {
        guard size == nil || size == item.size else { return .differs(.size) }
        let ours = digests ?? item.digests
        func match(_ theirs: Digests) -> (equal: Set<DigestAlgorithm>, hasOther: Bool) {
            let common = theirs.algorithms.intersection(ours.algorithms)
            let equal = common.filter { theirs[$0] == ours[$0] }
            return (equal, equal.count < common.count)
        }
        let (computed, echoed, possible) = (match(computed), match(echoed), match(possible))
        if computed.hasOther || echoed.hasOther { return .differs(.digest) }
        // A CRC has few bits. They are enough if the copy came with the item's digest.
        let strong = echoed.equal.isEmpty ? computed.equal.subtracting([.crc32c]) : computed.equal
        if !strong.isEmpty || !possible.equal.isEmpty { return .same(.verified) }
        if possible.hasOther { return .doubtful }
        return .same(size == nil ? .unknown : echoed.equal.isEmpty ? .size : .echoed)
    }

    /// The digests that could still change the verdict if they were known of the item.
    fileprivate func missing(from ours: Digests) -> Set<DigestAlgorithm> {
        var theirs = computed.algorithms.union(echoed.algorithms).union(possible.algorithms)
        theirs.remove(.crc32c)
        return theirs.subtracting(ours.algorithms)
    }
}

/// Whether a copy is an item.
public enum CopyVerdict: Sendable, Hashable {
    /// Nothing speaks against it, and this is how sure it is.
    case same(Evidence)
    /// It is something else.
    case differs(Difference)
    /// A value that may be a digest isn't the item's. Only the copy's bytes can tell.
    case doubtful

    /// The verdict on a copy that was read back.
    ///
    /// - Parameter sha256: the digest of the bytes that were read.
    public init(readBack sha256: [UInt8], of item: MediaItem) {
        self = sha256 == item.digests[.sha256] ? .same(.verified) : .differs(.digest)
    }

    /// How sure it is; `nil` if the copy is or may be something else.
    public var evidence: Evidence? { if case .same(let evidence) = self { evidence } else { nil } }

    /// The answer to the question whether the copy is there.
    public var presence: Presence {
        switch self {
        case .same(let evidence): .present(evidence)
        case .differs(let difference): .changed(difference)
        case .doubtful: .unknown("The copy may have other bytes: check it with the verification “readback”.")
        }
    }
}

extension ItemDigests {
    /// Judges whether a copy is the item. Digests that can decide it are computed.
    ///
    /// - Throws: the failure of reading the item, or `SubmitFailure.cancelled`.
    public func verdict(on findings: CopyFindings) async throws(SubmitFailure) -> CopyVerdict {
        let verdict = findings.verdict(on: item, digests: known)
        let missing = findings.missing(from: known)
        if missing.isEmpty || verdict == .same(.verified) { return verdict }
        if case .differs = verdict { return verdict }
        try await compute(missing)
        return findings.verdict(on: item, digests: known)
    }
}
