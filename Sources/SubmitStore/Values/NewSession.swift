/// A session to open.
package struct NewSession: Sendable {
    package var invite: InviteID
    /// SHA-256 of the token.
    package var tokenDigest: [UInt8]
    /// SHA-256 of what the device knows its own attempt by; `nil` where it has nothing.
    package var attemptDigest: [UInt8]?
    package var device: String
    package var life: Duration
    /// What its owner is to compare before it is open; empty: it is at once.
    package var words: [String]
    /// The invite lets one in, and no other.
    package var isOnce: Bool
    /// The invite is locked after so many wrong secrets.
    package var mostWrongSecrets: Int

    package init(
        invite: InviteID, tokenDigest: [UInt8], attemptDigest: [UInt8]?, device: String, life: Duration,
        words: [String], isOnce: Bool, mostWrongSecrets: Int
    ) {
        self.invite = invite
        self.tokenDigest = tokenDigest
        self.attemptDigest = attemptDigest
        self.device = device
        self.life = life
        self.words = words
        self.isOnce = isOnce
        self.mostWrongSecrets = mostWrongSecrets
    }
}

/// What came of asking for a session.
package enum OpenedSession: Sendable, Hashable {
    case opened(ReceivingSession)
    case unknown
    case locked
    case revoked
    case spent
    case expired
    case claimed
}
