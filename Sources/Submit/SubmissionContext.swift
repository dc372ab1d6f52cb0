public import Logging

/// What a submitter is told about one attempt besides the item, and the two things it reports while it works.
///
/// The ``options`` can be read and changed directly, as `context.album`.
@dynamicMemberLookup
public struct SubmissionContext: Sendable {
    /// The submission's identity: the same for every attempt, different for any other submission of any journal.
    /// Only `[a-z0-9-]`, at most 40 bytes: fit for temporary names and idempotency keys.
    public let submission: String
    /// 1 for the first attempt.
    public let attempt: Int
    /// What a person chose for the submission.
    public var options: SubmissionOptions
    /// The ``Receipt/remoteID`` of a copy of this submission that an audit found to be something else; `nil` for none.
    ///
    /// What is there under it says of itself what is not so: by that, such as metadata that were sent with it or its
    /// size, it is not taken for the item. Only its bytes, or a digest that the destination computes of them, can tell.
    public var disproved: String?
    /// What the catalogue knows of the item, with all its revisions, for a submitter with a ``CatalogueFacet``; `nil` where
    /// nobody keeps a catalogue: then it makes a document of its own.
    public var document: CatalogueDocument?
    /// What the last attempt kept.
    public let checkpoint: Checkpoint?
    /// Hears what whoever looks for a fault may want to know. What it is given carries batch, submission, destination and
    /// attempt already; by itself it says nothing. Below the submitter, and in verbs that have no context, `Logger.current`
    /// is the same.
    ///
    /// Submitters log with `debug` and `trace` alone: what came of an attempt is the engine's to say. Never a secret.
    public var logger: Logger

    private let keepCheckpoint: @Sendable (Checkpoint?) async -> Result<Void, SubmitFailure>
    private let reportSent: @Sendable (Int64) -> Void
    private let reportLanded: @Sendable (Int64) -> Void
    private let reserveAddress: @Sendable (CopyAddress) -> Bool
    private let allowReplacing: @Sendable (CopyAddress) async -> Result<Bool, SubmitFailure>

    /// What an attempt is told, and where its reports go.
    ///
    /// - Parameters:
    ///   - keep: what ``keep(_:)`` does.
    ///   - sent: what ``sent(_:)`` does; called from any thread.
    ///   - landed: what ``landed(_:)`` does; called from any thread.
    ///   - reserve: what ``reserve(_:)`` does; called from any thread.
    ///   - mayReplace: what ``mayReplace(_:)`` does under the policy `overwrite`, after it reserved the address.
    public init(
        submission: String, attempt: Int = 1, options: SubmissionOptions,
        checkpoint: Checkpoint? = nil,
        keep: @escaping @Sendable (Checkpoint?) async -> Result<Void, SubmitFailure> = { _ in .success(()) },
        sent: @escaping @Sendable (Int64) -> Void = { _ in },
        landed: @escaping @Sendable (Int64) -> Void = { _ in },
        reserve: @escaping @Sendable (CopyAddress) -> Bool = { _ in true },
        mayReplace: @escaping @Sendable (CopyAddress) async -> Result<Bool, SubmitFailure> = { _ in .success(true) }
    ) {
        self.submission = submission
        self.attempt = attempt
        self.options = options
        self.checkpoint = checkpoint
        self.logger = .silent
        self.keepCheckpoint = keep
        self.reportSent = sent
        self.reportLanded = landed
        self.reserveAddress = reserve
        self.allowReplacing = mayReplace
    }

    /// A context whose options are given one by one.
    public init(
        submission: String, attempt: Int = 1, album: String? = nil, onConflict: ConflictPolicy = .rename,
        verification: Verification = .usual, checkpoint: Checkpoint? = nil,
        keep: @escaping @Sendable (Checkpoint?) async -> Result<Void, SubmitFailure> = { _ in .success(()) },
        sent: @escaping @Sendable (Int64) -> Void = { _ in },
        landed: @escaping @Sendable (Int64) -> Void = { _ in },
        reserve: @escaping @Sendable (CopyAddress) -> Bool = { _ in true },
        mayReplace: @escaping @Sendable (CopyAddress) async -> Result<Bool, SubmitFailure> = { _ in .success(true) }
    ) {
        self.init(
            submission: submission, attempt: attempt,
            options: SubmissionOptions(album: album, onConflict: onConflict, verification: verification),
            checkpoint: checkpoint, keep: keep, sent: sent, landed: landed, reserve: reserve, mayReplace: mayReplace)
    }

    /// One of the ``options``.
    public subscript<Value>(dynamicMember option: WritableKeyPath<SubmissionOptions, Value>) -> Value {
        get { options[keyPath: option] }
        set { options[keyPath: option] = newValue }
    }

    /// Keeps a checkpoint, or forgets it with `nil`. It is on disk when this returns.
    ///
    /// - Throws: the journal's failure, or ``SubmitFailure/cancelled`` when the submission is no longer ours. Pass
    ///   it on.
    public func keep(_ checkpoint: Checkpoint?) async throws(SubmitFailure) {
        try await keepCheckpoint(checkpoint).get()
    }

    /// Reports how many of the item's bytes are at the destination or on their way, counted from 0.
    ///
    /// Cheap and safe from any thread. A number smaller than an earlier one is ignored.
    public func sent(_ bytes: Int64) {
        reportSent(bytes)
    }

    /// Reports how many of the item's bytes need not be sent again if this attempt breaks.
    ///
    /// An attempt that got farther than any before it does not count against the submission, however it ends. Cheap
    /// and safe from any thread. A number smaller than an earlier one is ignored.
    public func landed(_ bytes: Int64) {
        reportLanded(bytes)
    }

    /// Reserves an address until the journal knows what came of this attempt.
    ///
    /// Another photo of the same name may be on its way, from another process too. Ask before you look there if the policy is
    /// `overwrite`, or if the destination can't refuse to replace other bytes. Cheap and safe from any thread.
    ///
    /// - Parameter address: where the copy would be.
    /// - Returns: false if another photo has reserved it. Then treat the address as taken if nothing is there.
    public func reserve(_ address: CopyAddress) -> Bool { reserveAddress(address) }

    /// Reserves an address where other bytes are, if the conflict policy allows to replace them.
    ///
    /// `overwrite` never means copies of other photos from the same journal, only what others stored and earlier versions of
    /// the same file.
    ///
    /// Ask as late as you can, and again whenever other bytes are there than when you asked.
    ///
    /// - Parameter address: where these bytes are.
    /// - Returns: false if nothing may be replaced there. With `overwrite`, then treat the address as taken, as with `rename`.
    /// - Throws: the journal's failure. Pass it on.
    public func mayReplace(_ address: CopyAddress) async throws(SubmitFailure) -> Bool {
        guard options.onConflict == .overwrite, reserve(address) else { return false }
        return try await allowReplacing(address).get()
    }
}

/// The address of a copy that is stored or will be.
public struct CopyAddress: Sendable, Hashable {
    /// The ``Receipt/remoteID`` of the copy.
    public let remoteID: String
    /// The ``Receipt/url`` of the copy. By it, destinations that share a folder or a bucket see each other's copies.
    public let url: String?

    /// - Parameters:
    ///   - remoteID: the receipt's id.
    ///   - url: the receipt's URL.
    public init(_ remoteID: String, url: String? = nil) {
        self.remoteID = remoteID
        self.url = url
    }
}

extension SubmissionContext {
    /// The ``Receipt/remoteID`` of the damaged copy that this submission replaces; `nil` if it replaces none.
    ///
    /// A repair with `overwrite` replaces what is stored under this address and nothing else. The item's own name, the
    /// album and the template don't matter for it: another photo may have that name by now. A submitter that can't store
    /// under a given address treats the conflict policy as `rename`.
    public var repairedAddress: String? { options.onConflict == .overwrite ? disproved : nil }
}

/// How a copy is to be proven.
public enum Verification: String, Sendable, Hashable, Codable, CaseIterable {
    /// By the best that the destination says of it by itself.
    case usual
    /// By reading all its bytes again. A submission is done only with ``Evidence/verified`` then.
    case readback
}

/// What to do when other bytes hold the name an item should get. The same bytes always count as done.
public enum ConflictPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Take the next free name: `IMG_1-1.jpg`.
    case rename
    /// Leave what is there and count the submission as done, with a note.
    case skip
    /// Replace what is there, but no copy of another photo from the same journal: then take the next free name.
    case overwrite
    /// Fail the submission.
    case fail
}
