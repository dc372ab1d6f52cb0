internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
package import SubmitStore

extension Reception {
    /// The session that a token is of, whether it waits to be confirmed or not.
    ///
    /// - Throws: `.unknown`, `.expired`, `.revoked` where it or its invite was ended, `.declined`, `.unavailable`.
    package func session(token: String) async throws(ReceivingRefusal) -> ReceivingSession {
        let digest = RandomSecret.digest(token)
        let session = try await stored { (store) throws(SubmitFailure) in try await store.session(ofToken: digest) }
        guard let session else { throw .unknownSession }
        switch session.state {
        case .ended: throw .endedSession
        case .declined: throw .declinedSession
        case .unconfirmed, .open: if session.isExpired { throw .expiredSession }
        }
        return session
    }

    /// What the session's invite allows.
    package func terms(of session: ReceivingSession) async throws(ReceivingRefusal) -> InviteTerms {
        try await terms(of: session.invite)
    }

    /// Lets a session that waits for its owner in.
    package func confirm(_ session: SessionID) async throws(ReceivingRefusal) {
        _ = try await stored { (store) throws(SubmitFailure) in try await store.move(session, to: .open) }
        news.note(session)
    }

    /// Keeps it out. A `once` invite can be claimed again then.
    package func decline(_ session: SessionID) async throws(ReceivingRefusal) {
        await discard(
            try await stored { (store) throws(SubmitFailure) in try await store.move(session, to: .declined) })
        news.end(session)
    }

    /// Ends a session: its token is worth nothing any more, and its open files go. What arrived stays.
    package func end(_ session: SessionID) async throws(ReceivingRefusal) {
        await discardEnded(
            try await stored { (store) throws(SubmitFailure) in try await store.move(session, to: .ended) })
        news.end(session)
    }

    /// Whether files are taken from it, by what was known when it was asked for.
    func check(_ session: ReceivingSession) throws(ReceivingRefusal) {
        switch session.state {
        case .unconfirmed: throw .unconfirmedSession
        case .declined: throw .declinedSession
        case .ended: throw .endedSession
        case .open: if session.isExpired { throw .expiredSession }
        }
    }

    /// Gives the space of files back that were ended, but for those that are being accepted and arrive all the same.
    func discardEnded(_ files: [IncomingFileID]) async {
        for id in files {
            let upload = uploads.withLock { $0[id] }
            if let upload { guard await upload.turn.acquire() else { continue } }
            defer { upload?.turn.release() }
            // What cannot be looked at now stays for whoever tidies up next.
            guard let row = try? await store.incomingFile(id), !row.state.isOpen, row.state != .arrived else {
                continue
            }
            await discard([id])
        }
    }

    /// Gives the space of files back that are over.
    func discard(_ files: [IncomingFileID]) async {
        for id in files {
            let upload = uploads.withLock { $0.removeValue(forKey: id) }
            try? await upload?.with { (bytes) throws(IncomingFolder.Fault) in bytes.discard() }
            await manager.tidySpool(folder.file(id))
            news.note(id)
        }
    }
}
