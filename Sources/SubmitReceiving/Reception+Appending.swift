internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
package import SubmitStore

extension Reception {
    /// A file of the session; its offset is where the sender goes on. While bytes come it is the one last on disk.
    ///
    /// One whose bytes are all there but which has not `arrived` is to be finished by whoever asks: ``finish(_:session:)``.
    ///
    /// - Throws: `.unknown`, also of another session's file; `.unavailable`.
    package func file(
        _ id: IncomingFileID, session: ReceivingSession
    ) async throws(ReceivingRefusal) -> IncomingFile {
        var row = try await row(id, session)
        guard row.state == .receiving else { return row }
        let upload = try await upload(of: row)
        let offset: Int64
        if upload.take() {
            defer { upload.leave() }
            // It may have arrived meanwhile, and then nobody cuts it any more.
            row = try await self.row(id, session)
            guard row.state == .receiving else { return row }
            do throws(IncomingFolder.Fault) {
                offset = try await upload.with { (bytes) throws(IncomingFolder.Fault) in
                    defer { bytes.close() }
                    try bytes.open()
                    return bytes.end
                }
            } catch {
                throw .disk(row.name, error.number)
            }
        } else {
            offset = upload.offset
        }
        // The last offset before the end is written down with the arrival alone, which may not have come.
        if offset > row.offset { try await advance(upload, to: offset) }
        upload.offset = offset
        row.offset = offset
        return row
    }

    /// A row, by whoever may see it.
    func row(_ id: IncomingFileID, _ session: ReceivingSession) async throws(ReceivingRefusal) -> IncomingFile {
        let row = try await stored { (store) throws(SubmitFailure) in try await store.incomingFile(id) }
        guard let row, row.session == session.id else { throw .unknownFile }
        return row
    }

    /// One of which more may come.
    private func receiving(
        _ id: IncomingFileID, _ session: ReceivingSession
    ) async throws(ReceivingRefusal) -> IncomingFile {
        let row = try await row(id, session)
        switch row.state {
        case .receiving: return row
        case .arrived, .whole: throw .conflict(row.name, at: row.offset)
        case .refused, .cancelled, .expired: throw refusal(of: row)
        }
    }

    /// The upload of a row as this process knows it.
    func upload(of row: IncomingFile) async throws(ReceivingRefusal) -> IncomingUpload {
        if let upload = uploads.withLock({ $0[row.id] }) { return upload }
        let new = upload(of: row, try await terms(of: row.invite))
        news.begin(row.id, of: row.session)
        return uploads.withLock { uploads in
            if let other = uploads[row.id] { return other }
            uploads[row.id] = new
            return new
        }
    }

    /// Why a file takes nothing any more.
    func refusal(of row: IncomingFile) -> ReceivingRefusal {
        if row.state == .refused, let code = row.code, let sentence = row.sentence {
            return ReceivingRefusal(.unwanted, code: code, message: sentence)
        }
        return .ended(row.name, row.state.name)
    }

    private func advance(_ upload: IncomingUpload, to offset: Int64) async throws(ReceivingRefusal) {
        let life = options.unfinishedLife
        let isOpen = try await stored { (store) throws(SubmitFailure) in
            try await store.advance(upload.id, to: offset, life: life)
        }
        if isOpen { return }
        let row = try await stored { (store) throws(SubmitFailure) in try await store.incomingFile(upload.id) }
        throw row.map(refusal(of:)) ?? .unknownFile
    }

    /// Takes what comes, in order. On return it is on disk. Nothing is read ahead by more than half a MiB: who sends faster waits.
    ///
    /// Whatever it throws, what came before stays, but for a conflict and a wrong checksum; what came with a checksum and broke off
    /// goes, too, as nobody can tell whether it is right. Cancelling the task counts as breaking off.
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
    ) async throws(ReceivingRefusal) -> Int64 where Chunks.Element: Collection<UInt8> {
        try check(session)
        let upload = try await upload(of: try await receiving(id, session))
        guard upload.take() else { throw .busy(upload.name) }
        defer { upload.leave() }
        // As it is now that nobody else is at it.
        let row = try await receiving(id, session)
        let terms = try await terms(of: row.invite)
        let bound = try await bound(of: row, terms)
        let start: Int64
        do throws(IncomingFolder.Fault) {
            start = try await upload.with { (bytes) throws(IncomingFolder.Fault) in
                try bytes.open()
                bytes.mark()
                return bytes.end
            }
        } catch {
            throw .disk(row.name, error.number)
        }
        if start != offset {
            try? await upload.with { (bytes) throws(IncomingFolder.Fault) in bytes.close() }
            throw .conflict(row.name, at: start)
        }
        var writing = UploadWriting(upload, at: offset, checksum?.algorithm)
        let saving = UploadSaving(upload, store, options.unfinishedLife, from: offset)
        var refusal: ReceivingRefusal?
        var roomy: Int64 = 0
        // What is not wanted need not come to its end.
        var (isLookedAt, isUnwanted) = (start > 0, false)
        do throws(IncomingFolder.Fault) {
            var iterator = chunks.makeAsyncIterator()
            while refusal == nil {
                let chunk: Chunks.Element?
                do {
                    chunk = try await iterator.next()
                } catch {
                    refusal = .brokenOff(row.name, at: offset)
                    break
                }
                guard let chunk else {
                    if Task.isCancelled { refusal = .brokenOff(row.name, at: offset) }
                    break
                }
                if Int64(chunk.count) > bound - writing.end {
                    refusal = row.length.map { .longer(row.name, than: $0) } ?? .tooLarge(row.name, most: bound)
                    break
                }
                if row.length == nil, writing.end >= roomy {
                    // Nothing was set aside for what nobody told the length of.
                    roomy = writing.end + UploadWriting.span
                    try await BlockingThreads.sources.run { [folder] () throws(IncomingFolder.Fault) in
                        try folder.checkRoom(for: 0)
                    }
                }
                try await writing.add(chunk)
                if !isLookedAt, writing.written > 0 {
                    isLookedAt = true
                    isUnwanted = !terms.take(
                        try await upload.with { (bytes) throws(IncomingFolder.Fault) in bytes.type(named: row.name) })
                    if isUnwanted { break }
                }
                if checksum == nil, await !saving.save(upTo: writing.written) { break }
            }
            try await writing.finish()
        } catch {
            refusal = .disk(row.name, error.number)
        }
        await saving.end()
        if isUnwanted { throw await refuse(row, .unwanted(row.name, terms.takes)) }
        let isWrong = checksum.map { writing.digest($0.algorithm) != $0.bytes } ?? false
        let isCut = checksum != nil && (refusal != nil || isWrong)
        if isWrong, refusal == nil { refusal = .wrongChecksum(row.name, offset: offset) }
        return try await settle(upload, row, isCut: isCut, refusal)
    }

    /// Makes what came last, and tells it.
    private func settle(
        _ upload: IncomingUpload, _ row: IncomingFile, isCut: Bool, _ refusal: ReceivingRefusal?
    ) async throws(ReceivingRefusal) -> Int64 {
        let end: Int64
        do throws(IncomingFolder.Fault) {
            end = try await upload.with { (bytes) throws(IncomingFolder.Fault) in
                defer { bytes.close() }
                if bytes.isDiscarded { return -1 }
                if isCut { try bytes.cutToMark() }
                if refusal == nil, bytes.end == row.length {
                    try bytes.seal(modified: row.modified)
                } else {
                    try bytes.sync()
                }
                return bytes.end
            }
        } catch {
            throw refusal ?? .disk(row.name, error.number)
        }
        if end < 0 {
            let now = try await stored { (store) throws(SubmitFailure) in try await store.incomingFile(row.id) }
            throw now.map(self.refusal(of:)) ?? .unknownFile
        }
        // That of the end is written down with the arrival.
        if refusal != nil || end != row.length { try await advance(upload, to: end) }
        upload.offset = end
        news.note(row.id)
        guard var refusal else { return end }
        if case .brokenOff = refusal.kind { refusal = .brokenOff(row.name, at: end) }
        throw refusal
    }

    /// So many bytes it may have at the most.
    private func bound(of row: IncomingFile, _ terms: InviteTerms) async throws(ReceivingRefusal) -> Int64 {
        if let length = row.length { return length }
        let invite = try await stored { (store) throws(SubmitFailure) in try await store.invites(row.invite) }.first
        let left = terms.bytes.map { $0 - (invite?.bytes ?? 0) } ?? .max
        return max(0, min(terms.fileBytes ?? (1 << 50), left))
    }
}
