/// An invite to write down.
package struct NewInvite: Sendable {
    package var id: InviteID
    /// SHA-256 of the secret.
    package var secretDigest: [UInt8]
    /// In words of the caller's own.
    package var terms: String
    /// How long the secret can be exchanged.
    package var life: Duration

    package init(id: InviteID, secretDigest: [UInt8], terms: String, life: Duration) {
        self.id = id
        self.secretDigest = secretDigest
        self.terms = terms
        self.life = life
    }
}
