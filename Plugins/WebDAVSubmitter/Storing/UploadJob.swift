internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitTransfer

/// An item on its way to a temporary name.
struct UploadJob: Sendable {
    let digests: ItemDigests
    let context: SubmissionContext
    /// Where it lies until it is whole and proven.
    let temporary: DAVPath
    let profile: ServerProfile
    /// What is noted of it by now, by this attempt or the one before.
    let kept: Locked<UploadCheckpoint?>
    /// The server stumbled over its date, so that it goes without.
    let isUndated = Locked(false)
    /// What is to be told besides the bytes.
    var wishes = MetadataOptions()
    /// It is large enough to be worth a request that asks whether it fits.
    var asksForRoom = false
    /// A header without which it must not be stored.
    var condition: (name: String, value: String)?

    var item: MediaItem { digests.item }
    var bytes: any MediaBytes { digests.bytes }

    init(
        _ digests: ItemDigests, context: SubmissionContext, temporary: DAVPath, profile: ServerProfile,
        wishes: MetadataOptions = MetadataOptions(), asksForRoom: Bool = false,
        condition: (name: String, value: String)? = nil
    ) {
        (self.digests, self.context, self.temporary) = (digests, context, temporary)
        (self.profile, self.wishes, self.asksForRoom, self.condition) = (profile, wishes, asksForRoom, condition)
        kept = Locked(UploadCheckpoint(context.checkpoint))
    }

    /// Keeps a note for the next attempt, with where it may have been moved until now; `nil`: nothing is left of it.
    func keep(_ note: UploadCheckpoint?) async throws(SubmitFailure) {
        let note = kept.withLock { kept in
            let moved = kept?.moved
            kept = note
            if kept?.moved == nil { kept?.moved = moved }
            return kept
        }
        try await context.keep(note?.checkpoint)
    }

    /// Headers that give a resource its date when it is stored.
    var dating: [(name: String, value: String)] {
        if wishes.dates == .none || isUndated.withLock({ $0 }) || isTooEarly { return [] }
        return datingHeaders
    }

    /// Nextcloud answers 500 to dates up to a day after the start of 1970 (lib/private/…/MtimeSanitizer: nextcloud/server#46675).
    private var isTooEarly: Bool { profile.dating == .ocMtime && item.modified.seconds <= 86_400 }

    /// Whether the server keeps the date that it was given, as far as submit knows.
    var losesDate: Bool { wishes.dates != .none && (isUndated.withLock { $0 } || isTooEarly) }

    /// Drops the date from all further requests, if the server may have stumbled over it.
    ///
    /// - Returns: whether the request is worth sending again without it. One failure alone says nothing of the date.
    func dropsDate(after status: Int) -> Bool {
        guard status == 500, context.attempt > 1, profile.dating == .ocMtime, !dating.isEmpty else { return false }
        isUndated.withLock { $0 = true }
        return true
    }

    private var datingHeaders: [(name: String, value: String)] {
        switch profile.dating {
        case .ocMtime: [("X-OC-Mtime", "\(item.modified.seconds)")]
        case .date: [("Date", HTTPDate.format(item.modified))]
        case .property, nil: []
        }
    }
}

/// What is told of an item besides its bytes.
struct MetadataOptions: Sendable, Hashable {
    var captions = WebDAVSubmitter.Captions.none
    var dates = WebDAVSubmitter.Dates.auto
}

extension UploadJob {
    /// What a lock of ours says of whose it is.
    static func lockOwner(_ submission: String) -> String { "submit \(submission)" }

    /// The lock for a step of it, where the server demands one.
    func lock(_ path: DAVPath, isDeep: Bool = false) -> DAVServer.LockScope {
        // As long as it takes on a slow line, when that is long.
        let life = isDeep ? DAVServer.shortestLife : max(DAVServer.shortestLife, bytes.size / 20_000)
        return DAVServer.LockScope(path: path, isDeep: isDeep, owner: Self.lockOwner(context.submission), life: life)
    }
}

/// What an upload knows of the bytes it brought.
struct DeliveredBytes: Sendable, Hashable {
    /// What the server said of them itself; `nil` where it has to be asked.
    var evidence: Evidence?
    /// As in the last answer.
    var etag: String?
    /// The same.
    var fileID: String?
    /// An earlier attempt brought a part of it, of which nothing is known but how long the server says that it is.
    var wasResumed = false
    /// By which the next attempt sees that all of it is there, also where the ETag does not tell: mod_dav's is weak for
    /// a second. `nil` where it takes an ETag.
    var note: UploadCheckpoint?
}

/// A way to bring an item's bytes to a temporary name.
protocol UploadStrategy: Sendable {
    /// Brings the whole item, from where the server says that an earlier attempt came to.
    ///
    /// - Throws: ``SubmitFailure`` with its remedy; what is left at the server is then what the checkpoint kept in the
    ///   load's context tells of, or lies under the temporary name.
    func bring(_ load: UploadJob) async throws(SubmitFailure) -> DeliveredBytes
}
