internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
package import SubmitStore
internal import SystemPackage

extension Reception {
    /// An invite lets nobody in any more after so many wrong secrets.
    static let mostWrongSecrets = 20

    /// Makes an invite.
    ///
    /// - Throws: `.unwanted` where the terms make no sense: a destination that is not there, an album that is none; `.unavailable`.
    package func invite(_ terms: InviteTerms) async throws(ReceivingRefusal) -> FreshInvite {
        do throws(SubmitFailure) {
            try manager.check(
                SubmitRequest(destinations: terms.destinations, album: terms.album, verification: terms.verification))
        } catch {
            throw ReceivingRefusal(.unwanted, code: error.code, message: error.message)
        }
        if let keep = terms.keep, !FilePath(keep).isAbsolute {
            throw ReceivingRefusal(
                .unwanted, code: "keep",
                message:
                    "What arrives cannot be kept in \(ReceivingRefusal.shown(keep)): give the whole path of a folder.")
        }
        let secret = RandomSecret.text(bytes: 16)
        KnownSecrets.add(secret)
        while true {
            let id = InviteID(rawValue: Self.shortName())
            let new = NewInvite(
                id: id, secretDigest: RandomSecret.digest(secret), terms: terms.text,
                life: .seconds(terms.secondsToClaim))
            guard try await stored({ (store) throws(SubmitFailure) in try await store.addInvite(new) }) else {
                continue
            }
            let record = try await stored { (store) throws(SubmitFailure) in try await store.invites(id) }.first
            guard let record else { throw .unknownSession }
            return FreshInvite(id: id, secret: secret, expires: record.expires)
        }
    }

    /// Six characters that are not taken for one another.
    private static func shortName() -> String {
        var generator = SystemRandomNumberGenerator()
        let signs = Array("abcdefghjkmnpqrstuvwxyz23456789")
        return String((0..<6).map { _ in signs.randomElement(using: &generator)! })
    }

    /// All invites that are written down, newest first.
    package func invites() async throws(ReceivingRefusal) -> [InviteSummary] {
        var summaries: [InviteSummary] = []
        for record in try await stored({ (store) throws(SubmitFailure) in try await store.invites(nil) }) {
            guard let terms = InviteTerms(text: record.terms) else { continue }
            let sessions = try await stored { (store) throws(SubmitFailure) in
                try await store.sessions(of: record.id)
            }
            summaries.append(
                InviteSummary(
                    record: record, terms: terms, sessions: sessions,
                    isLocked: record.wrongSecrets >= Self.mostWrongSecrets))
        }
        return summaries
    }

    /// Ends an invite, its sessions and their open files. Again it changes nothing.
    ///
    /// - Throws: `.unknown`, `.unavailable`.
    package func revoke(_ invite: InviteID) async throws(ReceivingRefusal) {
        guard try await !stored({ (store) throws(SubmitFailure) in try await store.invites(invite) }).isEmpty else {
            throw ReceivingRefusal(
                .unknown, code: "invite-unknown",
                message:
                    "There is no invite \(ReceivingRefusal.shown(invite.rawValue)): look which there are.")
        }
        await discardEnded(try await stored { (store) throws(SubmitFailure) in try await store.revoke(invite) })
        for session in try await stored({ (store) throws(SubmitFailure) in try await store.sessions(of: invite) }) {
            news.end(session.id)
        }
    }

    /// Exchanges a secret for a session.
    ///
    /// - Parameters:
    ///   - address: whose wrong secrets are counted.
    ///   - device: what it calls itself.
    ///   - attempt: a random text of the device's own, at least 16 characters: whoever comes again with the same secret and the
    ///     same text, as the answer was lost, gets the session again, with another token, and the former one ends.
    /// - Throws: `.unknown`, `.expired`, `.revoked`, `.claimed`, `.locked`, `.tooOften`, `.unavailable`.
    package func claim(
        _ invite: InviteID, secret: String, address: String, device: String, attempt: String? = nil
    ) async throws(ReceivingRefusal) -> FreshSession {
        let now = options.clock()
        if let wait = wrongSecrets.withLock({ $0.wait(for: address, at: now) }) { throw .tooOften(wait) }
        let record = try await stored { (store) throws(SubmitFailure) in try await store.invites(invite) }.first
        // Also where there is no such invite, so that nobody learns that by the time it takes.
        let isRight = RandomSecret.areEqual(
            RandomSecret.digest(secret), record?.secretDigest ?? Array(repeating: 0, count: 32))
        guard isRight, record != nil else {
            wrongSecrets.withLock { $0.add(address, at: now) }
            if let record {
                try await stored { (store) throws(SubmitFailure) in try await store.noteWrongSecret(for: record.id) }
                if record.wrongSecrets + 1 >= Self.mostWrongSecrets { throw .lockedInvite }
            }
            throw .wrongSecret
        }
        KnownSecrets.add(secret)
        let terms = try await terms(of: invite)
        let token = RandomSecret.text(bytes: 32)
        KnownSecrets.add(token)
        let new = NewSession(
            invite: invite, tokenDigest: RandomSecret.digest(token),
            attemptDigest: attempt.flatMap { $0.utf8.count >= 16 ? RandomSecret.digest($0) : nil },
            device: String(SentName(device).name.prefix(64)), life: .seconds(terms.sessionSeconds),
            words: terms.confirms ? ConfirmationWords.random() : [], isOnce: terms.isOnce,
            mostWrongSecrets: Self.mostWrongSecrets)
        switch try await stored({ (store) throws(SubmitFailure) in try await store.openSession(new) }) {
        case .opened(let session): return FreshSession(session: session, token: token)
        case .unknown: throw .wrongSecret
        case .locked: throw .lockedInvite
        case .revoked: throw .revokedInvite
        case .spent: throw .spentInvite
        case .expired: throw .expiredInvite
        case .claimed: throw .claimedInvite
        }
    }
}
