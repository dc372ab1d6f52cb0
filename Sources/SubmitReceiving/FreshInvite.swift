package import Submit
package import SubmitStore

/// An invite that was just made, with what no one can ask for again.
package struct FreshInvite: Sendable {
    package let id: InviteID
    /// 22 characters of base64url: 128 random bits. To be shown once, and kept nowhere.
    package let secret: String
    package let expires: Timestamp
}

/// An invite, as its owner sees it.
package struct InviteSummary: Sendable {
    package let record: InviteRecord
    package let terms: InviteTerms
    package let sessions: [ReceivingSession]
    /// Too many came with wrong secrets.
    package let isLocked: Bool
}

/// A session that a secret was just exchanged for, with what no one can ask for again.
package struct FreshSession: Sendable {
    package let session: ReceivingSession
    /// 43 characters of base64url: 256 random bits.
    package let token: String
}
