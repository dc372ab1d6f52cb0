internal import Submit

/// A Digest challenge that is being answered: what is the same for all answers to it.
struct DigestSession: Sendable {
    let challenge: DigestChallenge
    /// The challenge's, or what the server named since.
    private(set) var nonce: String
    private let user: String
    private let key: String
    /// What the key of a `-sess` algorithm was made with.
    private let firstCnonce: String

    init(_ challenge: DigestChallenge, user: String, password: String) {
        self.challenge = challenge
        self.user = user
        nonce = challenge.nonce
        firstCnonce = Self.randomText()
        key = DigestAnswer.key(
            challenge, user: user, password: password, cnonce: firstCnonce, hash: challenge.hash.digest)
    }

    /// The same with the nonce that the server wants to see next (RFC 7616, section 3.5).
    ///
    /// A `-sess` key stays bound to its first nonce by the letter, and servers disagree: there the old one is kept, and
    /// a server that has had enough of it says `stale`.
    func following(_ next: String) -> DigestSession {
        guard !challenge.isSession, !next.isEmpty else { return self }
        var session = self
        session.nonce = next
        return session
    }

    /// - Parameter count: how often the nonce was used, this time included.
    func header(method: String, target: String, count: UInt32) -> String {
        // Some servers make the key of a session from each answer's cnonce: with one that stays both are right.
        let cnonce = challenge.isSession ? firstCnonce : Self.randomText()
        let answer = DigestAnswer(
            challenge: challenge, user: user, key: key, nonce: nonce, count: count, cnonce: cnonce)
        return answer.header(method: method, target: target, hash: challenge.hash.digest)
    }

    private static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        return Hexadecimal.text(of: (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
}
