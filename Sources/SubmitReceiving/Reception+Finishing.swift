internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
internal import SubmitMedia
package import SubmitStore
internal import SystemPackage

extension Reception {
    /// Accepts a file whose bytes are all there; of one whose length nobody told, those that are there are all. On return it
    /// has arrived: what is to be sent of it is written down. Again it gives the same.
    ///
    /// - Throws: `.conflict` where bytes are missing, `.busy`, `.checksum` where the whole is not what was promised (the file
    ///   is empty again, and may be sent again), `.unwanted` where it is of no kind that is taken (the file is gone), `.tooLarge`,
    ///   `.unknown`, `.unavailable`.
    package func finish(
        _ id: IncomingFileID, session: ReceivingSession
    ) async throws(ReceivingRefusal) -> IncomingFile {
        try check(session)
        return try await finish(try await row(id, session))
    }

    /// - Parameter known: digests of a file that is whole.
    func finish(_ asked: IncomingFile, _ known: Digests = Digests()) async throws(ReceivingRefusal) -> IncomingFile {
        if asked.state == .arrived { return asked }
        if !asked.state.isOpen { throw refusal(of: asked) }
        let upload = try await upload(of: asked)
        guard await upload.turn.acquire() else { throw .brokenOff(asked.name, at: upload.offset) }
        defer { upload.turn.release() }
        // Somebody else may have finished or ended it meanwhile.
        let row = try await stored { (store) throws(SubmitFailure) in try await store.incomingFile(asked.id) }
        guard let row else { throw .unknownFile }
        if row.state == .arrived { return row }
        if !row.state.isOpen { throw refusal(of: row) }
        guard upload.take() else { throw .busy(row.name) }
        defer { upload.leave() }
        let terms = try await terms(of: row.invite)
        var whole = row
        var digests = known
        if row.state == .receiving {
            (whole, digests) = try await examine(row, upload, terms)
            // From here on nobody writes into it any more, whenever this process ends: what is accepted is all of it.
            whole = try await completing(whole, terms)
        }
        let arrived = try await accept(whole, digests, terms)
        uploads.withLock { $0[row.id] = nil }
        news.note(row.id)
        // Where it was sent to its end before this was written down, nobody else looks at it soon.
        Task { [manager, path = folder.file(row.id)] in await manager.tidySpool(path) }
        if let most = terms.files { await spend(row.invite, after: most) }
        return arrived
    }

    /// Nobody else needs to come in where all files that are allowed are there. That it failed changes nothing: none is taken.
    private func spend(_ invite: InviteID, after most: Int) async {
        if let record = try? await store.invites(invite).first, record.files >= most { try? await store.spend(invite) }
    }

    /// What was found in the bytes.
    private struct Finding: Sendable {
        let length: Int64
        let digests: Digests
        let type: MediaType?
    }

    /// Looks whether all is there, is what was promised, and is wanted.
    private func examine(
        _ row: IncomingFile, _ upload: IncomingUpload, _ terms: InviteTerms
    ) async throws(ReceivingRefusal) -> (IncomingFile, Digests) {
        let found: Finding
        do throws(IncomingFolder.Fault) {
            found = try await upload.with { (bytes) throws(IncomingFolder.Fault) in
                defer { bytes.close() }
                try bytes.open()
                if bytes.end == row.length ?? bytes.end { try bytes.seal(modified: row.modified) }
                return Finding(length: bytes.end, digests: bytes.digests, type: bytes.type(named: row.name))
            }
        } catch {
            throw .disk(row.name, error.number)
        }
        if let length = row.length, found.length < length {
            throw .missing(row.name, offset: found.length, length: length)
        }
        if found.length == 0 { throw await refuse(row, .empty(row.name)) }
        if let promised = row.promised, found.digests[.sha256] != promised {
            try await beginAnew(row, upload)
            throw .wrongDigest(row.name)
        }
        if !terms.take(found.type) { throw await refuse(row, .unwanted(row.name, terms.takes)) }
        var whole = row
        (whole.length, whole.offset, whole.digest) = (found.length, found.length, found.digests[.sha256])
        return (whole, found.digests)
    }

    private func beginAnew(_ row: IncomingFile, _ upload: IncomingUpload) async throws(ReceivingRefusal) {
        do throws(IncomingFolder.Fault) {
            try await upload.with { (bytes) throws(IncomingFolder.Fault) in
                defer { bytes.close() }
                try bytes.open()
                try bytes.cutToNothing()
            }
        } catch {
            throw .disk(row.name, error.number)
        }
        let life = options.unfinishedLife
        _ = try await stored { (store) throws(SubmitFailure) in try await store.advance(row.id, to: 0, life: life) }
        upload.offset = 0
        news.note(row.id)
    }

    /// Ends a file that is not taken, with its bytes.
    func refuse(_ row: IncomingFile, _ refusal: ReceivingRefusal) async -> ReceivingRefusal {
        do throws(SubmitFailure) {
            _ = try await store.end(row.id, as: .refused, (refusal.code, refusal.message))
        } catch {
            return .unavailable(error)
        }
        await discard([row.id])
        return refusal
    }

    /// Writes down that it is whole, once it lies where its owner keeps it, before anything knows of it by another path.
    private func completing(
        _ row: IncomingFile, _ terms: InviteTerms
    ) async throws(ReceivingRefusal) -> IncomingFile {
        guard let length = row.length, let digest = row.digest else { return row }
        let source = folder.file(row.id)
        let keep = terms.keep.map { FilePath($0) }
        var kept: FilePath?
        do throws(IncomingFolder.Fault) {
            kept = try await BlockingThreads.sources.run { [folder] () throws(IncomingFolder.Fault) in
                if let keep {
                    return try KeepFolder(keep).take(source, named: Self.harmlessName(row, at: source), row.id)
                }
                // A name that a power loss takes is no source.
                try folder.syncNames()
                return nil
            }
        } catch {
            throw .disk(row.name, error.number)
        }
        let isOpen = try await stored { [kept] (store) throws(SubmitFailure) in
            try await store.completeFile(
                row.id, length: length, digest: digest, kept: kept, mostBytes: terms.bytes)
        }
        guard isOpen else {
            if let kept { KeepFolder.remove(kept, ifSameAs: source) }
            // Several may have come at once whose lengths nobody told.
            let now = try await stored { (store) throws(SubmitFailure) in try await store.incomingFile(row.id) }
            if let most = terms.bytes, now?.state.isOpen == true {
                let invite = try await stored { (store) throws(SubmitFailure) in try await store.invites(row.invite) }
                throw await refuse(row, .tooManyBytes(row.name, left: max(0, most - (invite.first?.bytes ?? 0))))
            }
            throw .ended(row.name, IncomingFile.State.cancelled.name)
        }
        if kept != nil { folder.remove(row.id) }
        var row = row
        (row.kept, row.state) = (kept, .whole)
        return row
    }

    /// What a file is called from here on: as its sender calls it, unless a server would run it under that name.
    private static func harmlessName(_ row: IncomingFile, at path: FilePath) -> String {
        HarmlessName(row.name, IncomingBytes.type(of: path, named: row.name)).text
    }

    private func accept(
        _ row: IncomingFile, _ digests: Digests, _ terms: InviteTerms
    ) async throws(ReceivingRefusal) -> IncomingFile {
        let path = row.kept ?? folder.file(row.id)
        let name = await BlockingThreads.sources.run { Self.harmlessName(row, at: path) }
        var item = SubmitItem(source: .file(path), name: name, idempotencyKey: row.id.rawValue)
        item.digests = digests
        item.size = row.length
        news.know(row.id, of: row.session, keptAt: row.kept)
        switch await arrivals.accept(ArrivalQueue.Entry(file: row, item: item, path: path, terms: terms)) {
        case .arrived(let file): return file
        case .refused(let refusal): throw await refuse(row, refusal)
        case .failed(let refusal): throw refusal
        }
    }

    /// Forgets an unfinished file, and its bytes. Whoever writes it at this moment is broken off. Of one that has arrived, what
    /// waits is cancelled.
    ///
    /// - Throws: `.unknown`, `.unavailable`.
    package func cancel(
        _ id: IncomingFileID, session: ReceivingSession
    ) async throws(ReceivingRefusal) {
        let row = try await row(id, session)
        var upload = uploads.withLock { $0[id] }
        if upload == nil, row.state.isOpen { upload = try await self.upload(of: row) }
        // What is being accepted comes to its end first.
        if let upload { guard await upload.turn.acquire() else { throw .brokenOff(row.name, at: row.offset) } }
        defer { upload?.turn.release() }
        let now = try await stored { (store) throws(SubmitFailure) in try await store.end(id, as: .cancelled, nil) }
        guard now?.state == .arrived else { return await discard([id]) }
        let submissions = try await stored { (_) throws(SubmitFailure) in
            try await manager.submissions(ofKey: id.rawValue)
        }
        for submission in submissions where submission.state == .waiting || submission.state == .running {
            _ = try await stored { (_) throws(SubmitFailure) in
                try await manager.cancel(SubmissionSelection(submission: submission.id))
            }
        }
        news.note(id)
    }
}
