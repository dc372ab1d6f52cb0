internal import Submit
internal import SubmitConcurrency

/// One submission on its way to its name.
struct RcloneUpload {
    let item: MediaItem
    let bytes: any MediaBytes
    let context: SubmissionContext
    let remote: RcloneRemote
    /// Below the remote's root; empty for itself.
    let folder: String
    /// The final name, before a number is put to it.
    let name: String
    let traits: RcloneTraits

    /// Held by all submitters of this process, by place and name.
    private static let claims = KeyedLock()
    private static let mostNumbers = 9999

    private var temporary: String { path(RcloneLeftovers.name(of: context.submission)) }

    private func path(_ name: String) -> String { folder.isEmpty ? name : "\(folder)/\(name)" }

    /// Sends, proves and names it.
    func arrive() async throws(SubmitFailure) -> Receipt {
        var evidence: Evidence?
        do throws(SubmitFailure) {
            for number in 0...Self.mostNumbers {
                let candidate = number == 0 ? name : FileName(name).numbered(number)
                // Names that differ only by case are one to some remotes.
                let claim = remote.place(path(candidate)).lowercased()
                guard await Self.claims.acquire(claim) else { throw .cancelled }
                defer { Self.claims.release(claim) }
                if let receipt = try await arrive(as: candidate, &evidence) { return receipt }
            }
        } catch {
            await cleanUp()
            throw error
        }
        await cleanUp()
        throw nameTaken("has \(Self.mostNumbers) other files called like")
    }

    /// - Parameter evidence: of the temporary copy, once there is one.
    /// - Returns: `nil` where other bytes have the name and the next one is to be tried.
    private func arrive(as candidate: String, _ evidence: inout Evidence?) async throws(SubmitFailure) -> Receipt? {
        let final = path(candidate)
        let mayHaveSent = evidence != nil || context.checkpoint != nil
        switch try await look(final) {
        case .missing: break
        case .same(let found):
            if mayHaveSent { await cleanUp() }
            return Receipt(remoteID: final, evidence: found, wasThere: true)
        case .other:
            switch context.onConflict {
            case .rename: return nil
            case .overwrite: break
            case .skip:
                if mayHaveSent { await cleanUp() }
                return Receipt(
                    remoteID: final, evidence: .unknown, wasThere: true,
                    note: "Another file has the name “\(final)”; it was left alone and nothing was stored.")
            case .fail: throw nameTaken("has another file with the name")
            }
        }
        let proof: Evidence
        if let evidence { proof = evidence } else { proof = try await send() }
        evidence = proof
        try bytes.verifyUnchanged()
        if Task.isCancelled { throw .cancelled }
        try await remote.move(temporary, to: final, replacing: context.onConflict == .overwrite)
        guard let file = try await remote.file(final, digest: traits.digest) else {
            throw damaged("is not there after it was moved to its name")
        }
        switch match(file) {
        case .differs:
            // Someone was quicker, and the temporary copy is still there. If it is not, there is no telling whose this is.
            guard context.onConflict != .overwrite, try await remote.file(temporary) != nil else {
                throw damaged("was changed by someone as soon as it was there")
            }
            return try await arrive(as: candidate, &evidence)
        case .equals, .hasSize:
            // Another copy, which the move spared? Then the temporary one is still there.
            if context.onConflict != .overwrite, try await remote.file(temporary) != nil {
                return try await arrive(as: candidate, &evidence)
            }
        }
        let note = "It is called “\(candidate)”, because another file has the name “\(name)”."
        return Receipt(remoteID: final, evidence: proof, note: candidate == name ? nil : note)
    }

    /// Sends it under its temporary name and proves the copy.
    private func send() async throws(SubmitFailure) -> Evidence {
        try await context.keep(Checkpoint(data: Array(temporary.utf8)))
        try await remote.store(bytes, at: temporary, sent: context.sent)
        guard let file = try await remote.file(temporary, digest: traits.digest) else {
            throw damaged("is not there after it was sent")
        }
        switch match(file) {
        case .differs: throw damaged("arrived with \(file.Size) bytes of \(item.size), or damaged")
        case .equals where context.verification == .usual: return .verified
        case .hasSize where context.verification == .usual: return .size
        case .equals, .hasSize:
            guard try await remote.sha256(temporary, size: item.size) == item.digests[.sha256] else {
                throw damaged("arrived damaged")
            }
            return .verified
        }
    }

    // MARK: - Comparing

    private enum Finding {
        case missing
        case same(Evidence)
        case other
    }

    /// What has a name; where the remote tells no digest, a copy of the same size is read to find out.
    private func look(_ path: String) async throws(SubmitFailure) -> Finding {
        guard let file = try await remote.file(path, digest: traits.digest) else { return .missing }
        switch match(file) {
        case .differs: return .other
        case .equals where context.verification == .usual: return .same(.verified)
        case .equals, .hasSize:
            return try await remote.sha256(path, size: item.size) == item.digests[.sha256] ? .same(.verified) : .other
        }
    }

    private enum Match { case equals, hasSize, differs }

    private func match(_ file: RcloneRemote.File) -> Match {
        guard file.Size == item.size else { return .differs }
        guard let digest = traits.digest, let theirs = file.Hashes?[digest.rawValue], !theirs.isEmpty,
            let ours = item.digests.hexadecimal(digest)
        else { return .hasSize }
        return theirs.lowercased() == ours ? .equals : .differs
    }

    // MARK: - Failing

    /// Removes the temporary copies of this attempt and of those before it, also when the task is cancelled. What cannot
    /// be removed now is by ``discard``.
    private func cleanUp() async {
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

    private func nameTaken(_ how: String) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "name-taken",
            message: "\(remote.rclone.destination) \(how) “\(path(name))”; rename one of them.")
    }
}
