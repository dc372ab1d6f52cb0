package import Submit
package import SubmitEngine
package import SubmitStore
package import SystemPackage

/// Lets others send photos and videos in: invites, sessions, files that come in pieces, and what became of each. It knows no
/// network; whoever does speaks for one sender at a time, by the session that its token is of.
///
/// What it tells is on disk when it tells it: an invite, an offset, an arrival. It may be let go of, or killed, at any moment;
/// another one on the same journal goes on. One at a time, of all processes, takes files of a journal.
///
/// What arrived is accepted by the manager, which pays it whenever it runs.
package final class Reception: Sendable {
    /// What is usual, and what a test or an owner wants otherwise.
    package struct Options: Sendable {
        /// So many bytes stay free on the disk, whatever comes.
        package var freeFloor: Int64 = 256 << 20
        /// After how long a file goes of which nothing more comes.
        package var unfinishedLife: Duration = .seconds(86_400)
        /// So many files of one session may be unfinished at once.
        package var mostUnfinished = 2_000
        /// So many entries may be offered at once.
        package var mostOffered = 2_000
        /// Changes are told at most once in this time.
        package var pace: Duration = .milliseconds(250)
        /// By what wrong secrets are counted; an invite's and a session's life go by the store's clock.
        package var clock: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }

        package init() {}
    }

    let manager: SubmitManager
    let options: Options
    var store: any Store { manager.store }

    /// - Parameter manager: has the destinations that invites name, and the journal.
    package init(_ manager: SubmitManager, options: Options = Options()) {
        self.manager = manager
        self.options = options
    }
}

// MARK: Invites

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

extension Reception {
    /// Makes an invite.
    ///
    /// - Throws: `.unwanted` where the terms make no sense: a destination that is not there, an album that is none; `.unavailable`.
    package func invite(_ terms: InviteTerms) async throws(ReceivingRefusal) -> FreshInvite { fatalError() }

    /// All invites that are written down, newest first.
    package func invites() async throws(ReceivingRefusal) -> [InviteSummary] { fatalError() }

    /// Ends an invite, its sessions and their open files. Again it changes nothing.
    ///
    /// - Throws: `.unknown`, `.unavailable`.
    package func revoke(_ invite: InviteID) async throws(ReceivingRefusal) { fatalError() }

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
    ) async throws(ReceivingRefusal) -> FreshSession { fatalError() }

    // MARK: Sessions

    /// The session that a token is of, whether it waits to be confirmed or not.
    ///
    /// - Throws: `.unknown`, `.expired`, `.revoked` where it or its invite was ended, `.declined`, `.unavailable`.
    package func session(token: String) async throws(ReceivingRefusal) -> ReceivingSession { fatalError() }

    /// Lets a session that waits for its owner in.
    package func confirm(_ session: SessionID) async throws(ReceivingRefusal) { fatalError() }

    /// Keeps it out. A `once` invite can be claimed again then.
    package func decline(_ session: SessionID) async throws(ReceivingRefusal) { fatalError() }

    /// Ends a session: its token is worth nothing any more, and its open files go. What arrived stays.
    package func end(_ session: SessionID) async throws(ReceivingRefusal) { fatalError() }

    /// What the session's invite allows.
    package func terms(of session: ReceivingSession) async throws(ReceivingRefusal) -> InviteTerms { fatalError() }
}

// MARK: Files

/// A digest of some bytes, as their sender promised it.
package struct PromisedDigest: Sendable, Hashable {
    /// `.sha1` or `.sha256`, or another one that is known.
    package let algorithm: DigestAlgorithm
    package let bytes: [UInt8]

    package init(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }
}

/// What a sender tells of a file before it comes. All of it is a stranger's.
package struct FileOffer: Sendable {
    /// As it came: it may hold folders, in either manner, and anything else.
    package var name: String
    /// Folders besides; `nil` for none.
    package var folder: String?
    /// `nil` where the sender does not know, as with forms: see ``Reception/finish(_:session:)``.
    package var length: Int64?
    package var sha256: [UInt8]?
    package var modified: Timestamp?
    package var type: String?

    package init(
        name: String, folder: String? = nil, length: Int64?, sha256: [UInt8]? = nil, modified: Timestamp? = nil,
        type: String? = nil
    ) {
        self.name = name
        self.folder = folder
        self.length = length
        self.sha256 = sha256
        self.modified = modified
        self.type = type
    }
}

/// What becomes of a file that is offered.
package enum OfferAnswer: Sendable, Hashable {
    /// The same bytes are done at every destination of the invite: nothing needs to be sent.
    case have
    case want
    case refuse(ReceivingRefusal)
}

extension Reception {
    /// Says for each of some files whether it needs to be sent. Nothing is written down.
    ///
    /// - Returns: one answer an offer, in their order.
    /// - Throws: `.tooMany`, `.unconfirmed`, `.unavailable`.
    package func offer(
        _ files: [FileOffer], session: ReceivingSession
    ) async throws(ReceivingRefusal) -> [OfferAnswer] { fatalError() }

    /// Makes room for a file, and a row. On return both are on disk.
    ///
    /// - Throws: `.unwanted`, `.tooLarge`, `.tooMany`, `.full` before any byte of it, `.unconfirmed`, `.unavailable`.
    package func begin(
        _ file: FileOffer, session: ReceivingSession
    ) async throws(ReceivingRefusal) -> IncomingFile { fatalError() }

    /// A file of the session; its offset is where the sender goes on. While bytes come it is the one last on disk.
    ///
    /// One whose bytes are all there but which has not `arrived` is to be finished by whoever asks: ``finish(_:session:)``.
    ///
    /// - Throws: `.unknown`, also of another session's file; `.unavailable`.
    package func file(
        _ id: IncomingFileID, session: ReceivingSession
    ) async throws(ReceivingRefusal) -> IncomingFile { fatalError() }

    /// Takes what comes, in order. On return it is on disk. Nothing is read ahead by more than half a MiB: who sends faster waits.
    ///
    /// Whatever it throws, what came before stays, but for a wrong checksum and a conflict. Cancelling the task counts as
    /// breaking off.
    ///
    /// - Parameters:
    ///   - offset: where `chunks` begin.
    ///   - chunks: pieces of any size: of bytes that lie in memory one after the other, such as `[UInt8]` or the view of a
    ///     `ByteBuffer`. What it throws counts as breaking off.
    ///   - checksum: of what comes now.
    /// - Returns: the new offset. Where that is the length, ``finish(_:session:)`` is next.
    /// - Throws: `.conflict`, `.busy`, `.tooLarge`, `.checksum`, `.brokenOff`, `.full`, `.unknown`, `.expired`, `.revoked`, `.unavailable`.
    package func append<Chunks: AsyncSequence>(
        to id: IncomingFileID, session: ReceivingSession, at offset: Int64, _ chunks: Chunks,
        checksum: PromisedDigest? = nil
    ) async throws(ReceivingRefusal) -> Int64 where Chunks.Element: Collection<UInt8> { fatalError() }

    /// Accepts a file whose bytes are all there; of one whose length nobody told, those that are there are all. On return it
    /// has arrived: what is to be sent of it is written down. Again it gives the same.
    ///
    /// - Throws: `.conflict` where bytes are missing, `.busy`, `.checksum` where the whole is not what was promised (the file
    ///   is empty again, and may be sent again), `.unwanted` where it is of no kind that is taken (the file is gone), `.tooLarge`,
    ///   `.unknown`, `.unavailable`.
    package func finish(
        _ id: IncomingFileID, session: ReceivingSession
    ) async throws(ReceivingRefusal) -> IncomingFile { fatalError() }

    /// Forgets an unfinished file, and its bytes. Whoever writes it at this moment is broken off. Of one that has arrived, what
    /// waits is cancelled.
    package func cancel(
        _ id: IncomingFileID, session: ReceivingSession
    ) async throws(ReceivingRefusal) { fatalError() }
}

// MARK: What became of files

/// A file at one destination.
package struct DestinationStatus: Sendable, Hashable {
    package let destination: String
    package let submission: SubmissionID
    package let state: SubmissionState
    /// `nil` unless it is done.
    package let evidence: Evidence?
    /// Why it failed, or what it waits for; `nil` where nothing went wrong.
    package let sentence: String?
    package let code: String?
}

/// A file, and what is proven of it where.
package struct IncomingFileStatus: Sendable, Hashable {
    package let file: IncomingFile
    /// In the order of the terms; empty before it has arrived.
    package let destinations: [DestinationStatus]
    /// When it last changed, as a sequence number.
    package let sequence: UInt64

    /// It is done at every destination.
    package var isSafe: Bool {
        file.state == .arrived && !destinations.isEmpty && destinations.allSatisfy { $0.state == .done }
    }
}

/// What changed at once.
package struct ReceptionChanges: Sendable {
    /// Whoever has this goes on after it.
    package let sequence: UInt64
    /// In the order in which they were begun.
    package let files: [IncomingFileStatus]
    /// These are all there are, and not only what changed.
    package let isWhole: Bool
}

extension Reception {
    /// All files of a session, as they are now.
    package func status(
        of session: ReceivingSession
    ) async throws(ReceivingRefusal) -> ReceptionChanges { fatalError() }

    /// What changes: first what did since `sequence`, or all where that is `nil`, too old or of before a restart; then each
    /// change, at most four times a second. It ends with the session, and when its task is cancelled.
    package func changes(
        of session: ReceivingSession, after sequence: UInt64?
    ) -> AsyncStream<ReceptionChanges> { fatalError() }

    /// What the private folder holds: bytes of unfinished files, and of those kept as something of them is not proven yet.
    package func heldBytes() async throws(ReceivingRefusal) -> (unfinished: Int64, arrived: Int64) { fatalError() }

    // MARK: Housekeeping

    /// What one that was killed left: goes on with files that are whole, forgets bytes that nobody knows. To be called once,
    /// before anything is taken.
    package func tidy() async throws(ReceivingRefusal) { fatalError() }

    /// Lets unfinished files go whose time is over, with their space. To be called now and then.
    ///
    /// - Returns: how many.
    @discardableResult
    package func expire() async throws(ReceivingRefusal) -> Int { fatalError() }
}
