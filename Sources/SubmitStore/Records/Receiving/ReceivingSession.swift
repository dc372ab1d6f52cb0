package import Submit

/// Which session.
package struct SessionID: StoreNumber {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// What a secret was exchanged for: one device may send, for a while.
package struct ReceivingSession: Sendable, Hashable {
    package enum State: Int, Sendable, Hashable, CaseIterable {
        /// It waits for its owner, who compares the words.
        case unconfirmed = 0
        case open = 1
        /// Its owner declined it.
        case declined = 2
        /// It was ended: by the device, or with its invite.
        case ended = 3
    }

    package let id: SessionID
    package let invite: InviteID
    /// What the device calls itself, made fit to be shown.
    package let device: String
    package let created: Timestamp
    package let expires: Timestamp
    /// That time has come, by the store's clock.
    package let isExpired: Bool
    package let state: State
    /// What both screens show where the owner is to compare; empty where nobody asks.
    package let words: [String]
    /// What its files became a part of; `nil` before the first one.
    package let batch: BatchID?

    package init(
        id: SessionID, invite: InviteID, device: String, created: Timestamp, expires: Timestamp, isExpired: Bool,
        state: State, words: [String], batch: BatchID?
    ) {
        self.id = id
        self.invite = invite
        self.device = device
        self.created = created
        self.expires = expires
        self.isExpired = isExpired
        self.state = state
        self.words = words
        self.batch = batch
    }
}
