internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
package import SubmitStore

extension Reception {
    /// Says for each of some files whether it needs to be sent. Nothing is written down.
    ///
    /// - Returns: one answer an offer, in their order.
    /// - Throws: `.tooMany`, `.unconfirmed`, `.unavailable`.
    package func offer(
        _ files: [FileOffer], session: ReceivingSession
    ) async throws(ReceivingRefusal) -> [OfferAnswer] {
        if files.count > options.mostOffered { throw .tooManyOffered(files.count, most: options.mostOffered) }
        try check(session)
        let terms = try await terms(of: session)
        let invite = try await stored { (store) throws(SubmitFailure) in try await store.invites(session.invite) }.first
        let digests = files.compactMap(\.sha256).filter { $0.count == DigestAlgorithm.sha256.length }
        let done = try await stored { (store) throws(SubmitFailure) in
            try await store.proven(digests, at: manager.places(of: terms.destinations) ?? [:])
        }
        var (count, bytes) = (invite?.files ?? 0, invite?.bytes ?? 0)
        return files.map { file in
            if let digest = file.sha256, done.contains(digest) { return .have }
            let name = SentName(file.name).name
            do throws(ReceivingRefusal) {
                try Self.check(file, name, terms)
            } catch {
                return .refuse(error)
            }
            if let most = terms.files, count >= most { return .refuse(.tooManyFiles(name, most: most)) }
            if let most = terms.bytes, bytes + (file.length ?? 1) > most {
                return .refuse(.tooManyBytes(name, left: max(0, most - bytes)))
            }
            count += 1
            bytes += file.length ?? 0
            return .want
        }
    }

    /// What can be told of a file without knowing any other.
    private static func check(_ file: FileOffer, _ name: String, _ terms: InviteTerms) throws(ReceivingRefusal) {
        guard let length = file.length else { return }
        if length <= 0 { throw .empty(name) }
        // More than any file has, and no sum of two of these can be counted wrong.
        if length > terms.fileBytes ?? (1 << 50) { throw .tooLarge(name, most: terms.fileBytes ?? (1 << 50)) }
    }

    /// Makes room for a file, and a row. On return both are on disk.
    ///
    /// - Throws: `.unwanted`, `.tooLarge`, `.tooMany`, `.full` before any byte of it, `.unconfirmed`, `.unavailable`.
    package func begin(
        _ file: FileOffer, session: ReceivingSession
    ) async throws(ReceivingRefusal) -> IncomingFile {
        try check(session)
        let terms = try await terms(of: session)
        let new = try newFile(file, session, terms)
        // Who tries again as long as there is no room leaves nothing each time.
        try await onDisk(new) { [folder] () throws(IncomingFolder.Fault) in try folder.prepare(for: file.length) }
        // The row comes first: bytes without one are nobody's, and go.
        let row = try await begun(new, terms)
        do throws(ReceivingRefusal) {
            try await onDisk(new) { [folder] () throws(IncomingFolder.Fault) in
                try folder.make(row.id, room: file.length)
            }
        } catch {
            // The file itself was not refused.
            _ = try? await store.end(row.id, as: .cancelled, nil)
            throw error
        }
        uploads.withLock { $0[row.id] = upload(of: row, terms) }
        news.begin(row.id, of: session.id)
        return row
    }

    private func onDisk(
        _ file: NewIncomingFile, _ body: @escaping @Sendable () throws(IncomingFolder.Fault) -> Void
    ) async throws(ReceivingRefusal) {
        do throws(IncomingFolder.Fault) {
            try await BlockingThreads.sources.run(body)
        } catch {
            throw .disk(file.name, error.number, length: file.length)
        }
    }

    /// What is to be written down of a file, once it is known that it may come at all.
    func newFile(
        _ file: FileOffer, _ session: ReceivingSession, _ terms: InviteTerms
    ) throws(ReceivingRefusal) -> NewIncomingFile {
        let sent = SentName(file.name, folder: file.folder)
        try Self.check(file, sent.name, terms)
        if let promised = file.sha256, promised.count != DigestAlgorithm.sha256.length {
            throw .wrongDigest(sent.name)
        }
        let id = IncomingFileID(
            rawValue: Hexadecimal.text(of: (0..<16).map { _ in UInt8.random(in: 0 ... .max) }))
        return NewIncomingFile(
            id: id, session: session.id, name: sent.name, folder: sent.folder, length: file.length,
            toldType: file.type.map { String($0.unicodeScalars.filter { $0.isASCII && $0.value > 0x20 }.prefix(100)) },
            modified: file.modified, promised: file.sha256, life: options.unfinishedLife, mostFiles: terms.files,
            mostBytes: terms.bytes, mostOpen: options.mostUnfinished)
    }

    /// Writes a file down.
    func begun(_ new: NewIncomingFile, _ terms: InviteTerms) async throws(ReceivingRefusal) -> IncomingFile {
        switch try await stored({ (store) throws(SubmitFailure) in try await store.begin(new) }) {
        case .begun(let begun): return begun
        case .closed: throw .endedSession
        case .tooManyFiles: throw .tooManyFiles(new.name, most: terms.files ?? 0)
        case .tooManyBytes(let left): throw .tooManyBytes(new.name, left: left)
        case .tooManyOpen: throw .tooManyOpen(new.name)
        }
    }

    func upload(of row: IncomingFile, _ terms: InviteTerms) -> IncomingUpload {
        IncomingUpload(row, in: folder, manager.digests(ofSize: row.length, at: terms.destinations))
    }
}
