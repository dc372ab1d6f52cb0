/// What a destination gave back for a completed submission.
public struct Receipt: Sendable, Hashable, Codable {
    /// The copy's identity at the destination: a path, a key, a service's id.
    public var remoteID: String
    /// Where people see it; without credentials in it. `nil` if there is no such place.
    public var url: String?
    /// How sure it is that the copy equals the item.
    public var evidence: Evidence
    /// The copy was there before: no bytes of the item were sent by this attempt.
    public var wasThere: Bool
    /// One sentence worth telling, such as another name that had to be taken.
    public var note: String?

    public init(
        remoteID: String, url: String? = nil, evidence: Evidence, wasThere: Bool = false, note: String? = nil
    ) {
        self.remoteID = remoteID
        self.url = url
        self.evidence = evidence
        self.wasThere = wasThere
        self.note = note
    }
}

/// How sure it is that the copy at a destination equals the item.
public enum Evidence: String, Sendable, Hashable, Codable, CaseIterable {
    /// The destination computed a digest, or the bytes were read back, and it equals ours.
    case verified
    /// The destination stores the digest that was sent to it.
    case echoed
    /// The destination holds as many bytes as the item has.
    case size
    /// The destination took it and is still processing.
    case accepted
    /// The destination said yes and no more.
    case unknown
}
