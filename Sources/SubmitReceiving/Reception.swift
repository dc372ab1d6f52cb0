internal import Submit
internal import SubmitConcurrency
package import SubmitEngine
internal import SubmitStore
internal import SystemPackage

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
    let folder: IncomingFolder
    let news = ReceptionNews()
    let arrivals: ArrivalQueue
    let wrongSecrets = Locked(WrongSecrets())
    let uploads = Locked<[IncomingFileID: IncomingUpload]>([:])
    private let knownTerms = Locked<[InviteID: InviteTerms]>([:])
    private let hearing: EventSubscription
    var store: any Store { manager.store }

    /// - Parameter manager: has the destinations that invites name, and the journal.
    package init(_ manager: SubmitManager, options: Options = Options()) {
        self.manager = manager
        self.options = options
        folder = IncomingFolder(manager.spoolFolder, floor: options.freeFloor)
        arrivals = ArrivalQueue(manager)
        hearing = manager.listen { [news, folder] event in news.hear(event, folder) }
    }

    deinit { hearing.cancel() }

    /// The terms of an invite, which never change.
    func terms(of id: InviteID) async throws(ReceivingRefusal) -> InviteTerms {
        if let terms = knownTerms.withLock({ $0[id] }) { return terms }
        guard let record = try await stored({ (store) throws(SubmitFailure) in try await store.invites(id) }).first,
            let terms = InviteTerms(text: record.terms)
        else { throw .unknownSession }
        knownTerms.withLock { $0[id] = terms }
        return terms
    }

    /// Asks the store: what fails there is none of the sender's doing.
    func stored<Answer>(
        _ verb: (any Store) async throws(SubmitFailure) -> Answer
    ) async throws(ReceivingRefusal) -> Answer {
        do throws(SubmitFailure) {
            return try await verb(store)
        } catch {
            throw .unavailable(error)
        }
    }
}
