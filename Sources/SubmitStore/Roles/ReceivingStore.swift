package import Submit
package import SystemPackage

/// What others send in: invites, sessions, and files of which only a part may be there. Secrets and tokens are never
/// written down, only their digests.
package protocol ReceivingStore: Sendable {
    // MARK: Invites

    /// Writes an invite down.
    ///
    /// - Returns: false, with nothing written, where another one has its id.
    func addInvite(_ invite: NewInvite) async throws(SubmitFailure) -> Bool

    /// All invites, the newest first; or the one of an id.
    func invites(_ id: InviteID?) async throws(SubmitFailure) -> [InviteRecord]

    /// Somebody came with another secret. Repeated, it counts again.
    func noteWrongSecret(for invite: InviteID) async throws(SubmitFailure)

    /// Ends an invite, its sessions and their open files.
    ///
    /// - Returns: the files that are cancelled by this. Repeated, those that were left.
    func revoke(_ invite: InviteID) async throws(SubmitFailure) -> [IncomingFileID]

    /// All that an open or claimed invite allows has arrived.
    func spend(_ invite: InviteID) async throws(SubmitFailure)

    /// Forgets invites with their sessions by which nothing arrived, nothing can come any more, and whose time ended so long ago.
    func forgetInvites(endedFor life: Duration) async throws(SubmitFailure)

    // MARK: Sessions

    /// Lets somebody in who had the right secret, unless the invite lets nobody in any more. Whoever comes with an attempt
    /// that was let in gets the session of that one, by its new token alone.
    func openSession(_ session: NewSession) async throws(SubmitFailure) -> OpenedSession

    /// The session whose token has this digest; `nil` where there is none.
    func session(ofToken digest: [UInt8]) async throws(SubmitFailure) -> ReceivingSession?

    /// The sessions of an invite, in the order in which they were opened.
    func sessions(of invite: InviteID) async throws(SubmitFailure) -> [ReceivingSession]

    /// Opens a session that waits for its owner, declines it, or ends it. A declined one makes its invite open again.
    ///
    /// - Returns: its files that are cancelled by this. Repeated, those that were left.
    func move(
        _ session: SessionID, to state: ReceivingSession.State
    ) async throws(SubmitFailure) -> [IncomingFileID]

    // MARK: Files

    /// Writes a file down that is about to come, where its session is open and its invite allows one more.
    func begin(_ file: NewIncomingFile) async throws(SubmitFailure) -> BegunFile

    func incomingFile(_ id: IncomingFileID) async throws(SubmitFailure) -> IncomingFile?

    /// The files of a session, in the order in which they were begun.
    func incomingFiles(of session: SessionID) async throws(SubmitFailure) -> [IncomingFile]

    /// All files of which more may come, whosever they are.
    func openIncomingFiles() async throws(SubmitFailure) -> [IncomingFile]

    /// Bytes up to this offset are on disk, and the file has so much longer to go on.
    ///
    /// - Returns: false where it takes none any more.
    func advance(
        _ file: IncomingFileID, to offset: Int64, life: Duration
    ) async throws(SubmitFailure) -> Bool

    /// All bytes are there and are what was promised.
    ///
    /// - Parameters:
    ///   - kept: where they lie instead of the private folder.
    ///   - mostBytes: of all files of its invite; looked at where nobody told the length of this one before.
    /// - Returns: false where it is neither receiving nor whole, or where it would be more than that.
    func completeFile(
        _ file: IncomingFileID, length: Int64, digest: [UInt8], kept: FilePath?, mostBytes: Int64?
    ) async throws(SubmitFailure) -> Bool

    /// Files were accepted into a batch, which is their session's if that has none. Their length and digest are those that they
    /// come with; where somebody ended one meanwhile, it arrived all the same.
    func arrive(_ files: [IncomingFile], in batch: BatchID) async throws(SubmitFailure)

    /// Ends a file that is open.
    ///
    /// - Returns: how it stands now; `nil` where there is none.
    func end(
        _ file: IncomingFileID, as state: IncomingFile.State, _ refusal: (code: String, sentence: String)?
    ) async throws(SubmitFailure) -> IncomingFile?

    /// Ends files of which nothing more came in their time, and those of sessions whose time is over.
    ///
    /// - Returns: those ended by this. Repeated, those that were left.
    func expireIncomingFiles() async throws(SubmitFailure) -> [IncomingFileID]
}
