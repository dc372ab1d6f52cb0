package import Submit

/// Which invite: six characters that stand in its link. They only say which one is meant, and let nobody in.
package struct InviteID: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package var description: String { rawValue }
}

/// What lets others in, by a secret that is exchanged for a session.
package struct InviteRecord: Sendable, Hashable {
    package enum State: Int, Sendable, Hashable, CaseIterable {
        /// Whoever has the secret may come in.
        case open = 0
        /// The one who may come in has.
        case claimed = 1
        /// All that it allows has arrived.
        case spent = 2
        /// Its owner ended it.
        case revoked = 3

        /// The word people and programs see.
        package var name: String {
            switch self {
            case .open: "open"
            case .claimed: "claimed"
            case .spent: "spent"
            case .revoked: "revoked"
            }
        }
    }

    package let id: InviteID
    /// SHA-256 of the secret, which itself is written down nowhere.
    package let secretDigest: [UInt8]
    /// What it allows, in words of the caller's own.
    package let terms: String
    package let created: Timestamp
    /// Until when the secret can be exchanged.
    package let expires: Timestamp
    /// That time has come, by the store's clock.
    package let isExpired: Bool
    package let state: State
    /// How often somebody came with another secret.
    package let wrongSecrets: Int
    /// Files that are there or under way, and their bytes: of those whose length nobody told, what has come.
    package let files: Int
    package let bytes: Int64

    package init(
        id: InviteID, secretDigest: [UInt8], terms: String, created: Timestamp, expires: Timestamp, isExpired: Bool,
        state: State, wrongSecrets: Int, files: Int, bytes: Int64
    ) {
        self.id = id
        self.secretDigest = secretDigest
        self.terms = terms
        self.created = created
        self.expires = expires
        self.isExpired = isExpired
        self.state = state
        self.wrongSecrets = wrongSecrets
        self.files = files
        self.bytes = bytes
    }
}
