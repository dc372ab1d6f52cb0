internal import Submit
internal import SubmitConcurrency
internal import SubmitTransfer

/// One item on its way to a remote: sent once under a temporary name, proven there, and moved to the first name it may have.
struct RcloneUpload: NamedStorage {
    let item: MediaItem
    let bytes: any MediaBytes
    let context: SubmissionContext
    let remote: RcloneRemote
    /// Below the remote's root; empty for itself.
    let folder: String
    /// The item's own name.
    let name: String
    let traits: RcloneTraits
    /// The evidence of the temporary copy; `nil` before it is sent.
    private let sent = Locked<Evidence?>(nil)

    init(
        item: MediaItem, bytes: any MediaBytes, context: SubmissionContext, remote: RcloneRemote, folder: String,
        name: String, traits: RcloneTraits
    ) {
        (self.item, self.bytes, self.context, self.remote) = (item, bytes, context, remote)
        (self.folder, self.name, self.traits) = (folder, name, traits)
    }

    private var temporary: String { path(RcloneLeftovers.name(of: context.submission)) }

    private func path(_ name: String) -> String { folder.isEmpty ? name : "\(folder)/\(name)" }

    // MARK: - Names

    var place: String { remote.rclone.destination }

    /// rclone looks and then moves.
    var sparesOthers: Bool { false }

    func identity(of address: String) -> String { remote.place(address) }

    func address(_ number: Int) -> String { path(number == 0 ? name : FileName(name).numbered(number)) }

    /// If the remote has no digest, a copy of the same size is read.
    func look(at address: String, round: Int) async throws(SubmitFailure) -> NameSighting<RcloneRemote.File> {
        guard let file = try await remote.file(address, digest: traits.digest) else { return .free }
        var verdict = file.findings.verdict(on: item)
        let isProven = verdict == .same(.verified) && context.verification == .usual
        if !isProven, verdict.evidence != nil { verdict = try await remote.readBack(address, item) }
        guard let evidence = verdict.evidence else { return .other(file, OtherContent(size: file.Size)) }
        return .same(Receipt(remoteID: address, evidence: evidence, wasThere: true))
    }

    func store(
        at address: String, over sighting: NameSighting<RcloneRemote.File>
    ) async throws(SubmitFailure) -> Receipt? {
        let replaces = if case .other = sighting { true } else { false }
        let known = sent.withLock { $0 }
        let proof: Evidence
        if let known { proof = known } else { proof = try await send() }
        sent.withLock { $0 = proof }
        try bytes.verifyUnchanged()
        if Task.isCancelled { throw .cancelled }
        try await remote.move(temporary, to: address, replacing: replaces)
        guard let file = try await remote.file(address, digest: traits.digest) else {
            throw damaged("is not there after it was moved to its name")
        }
        // If someone was quicker, the temporary copy is still there.
        if !replaces, try await remote.file(temporary) != nil { return nil }
        guard file.findings.verdict(on: item).evidence != nil else {
            throw damaged("was changed right after it was stored")
        }
        return Receipt(remoteID: address, evidence: proof)
    }

    func abandon() async throws(SubmitFailure) -> String? {
        if sent.withLock({ $0 }) != nil || context.checkpoint != nil { await cleanUp() }
        return nil
    }

    /// Sends it under its temporary name and proves the copy.
    private func send() async throws(SubmitFailure) -> Evidence {
        try await context.keep(Checkpoint(data: Array(temporary.utf8)))
        try await remote.store(bytes, at: temporary, sent: context.sent)
        guard let file = try await remote.file(temporary, digest: traits.digest) else {
            throw damaged("is not there after it was sent")
        }
        guard let evidence = file.findings.verdict(on: item).evidence else {
            throw damaged("arrived with \(file.Size) bytes of \(item.size), or damaged")
        }
        if context.verification == .usual { return evidence }
        guard try await remote.readBack(temporary, item) == .same(.verified) else { throw damaged("arrived damaged") }
        return .verified
    }

    // MARK: - Failing

    /// Removes the temporary copies of this attempt and of those before it, also when the task is cancelled. What cannot
    /// be removed now is by ``discard``.
    func cleanUp() async {
        let kept = context.checkpoint.map { String(decoding: $0.data, as: UTF8.self) }
        let (remote, temporary) = (remote, temporary)
        await Task {
            try? await remote.remove(temporary)
            // Sent to another folder, before the template was changed.
            if let kept, kept != temporary, RcloneLeftovers.isOne(kept) { try? await remote.remove(kept) }
        }.value
    }

    private func damaged(_ how: String) -> SubmitFailure {
        do throws(SubmitFailure) {
            try bytes.verifyUnchanged()
        } catch {
            return error
        }
        return SubmitFailure(
            .retry(after: nil), code: "damaged",
            message: "“\(item.name)” \(how) at \(remote.rclone.destination); try again.")
    }
}
