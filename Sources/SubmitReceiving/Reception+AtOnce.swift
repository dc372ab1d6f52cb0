internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitEngine
package import SubmitStore
internal import SystemPackage

extension Reception {
    /// Up to this length a file is taken at once: so many bytes of each are held in memory.
    private static let mostAtOnce: Int64 = 256 << 10

    /// Takes a file that comes in one piece: it arrives, or there is nothing of it but, where it is not wanted, that it was refused.
    ///
    /// - Parameter chunks: as ``append(to:session:at:_:checksum:)`` takes them.
    /// - Throws: as ``begin(_:session:)``, ``append(to:session:at:_:checksum:)`` and ``finish(_:session:)``. Cancelling the task counts
    ///   as breaking off.
    package func take<Chunks: AsyncSequence>(
        _ file: FileOffer, session: ReceivingSession, _ chunks: Chunks
    ) async throws(ReceivingRefusal) -> IncomingFile where Chunks.Element: Collection<UInt8> {
        try check(session)
        let terms = try await terms(of: session)
        if let length = file.length, length <= Self.mostAtOnce, terms.keep == nil {
            return try await take(file, session, terms, Self.bytes(of: chunks, SentName(file.name).name, length))
        }
        let row = try await begin(file, session: session)
        do throws(ReceivingRefusal) {
            _ = try await append(to: row.id, session: session, at: 0, chunks)
            return try await finish(row.id, session: session)
        } catch {
            // What was refused for what it is, stays told of as that; of what could not be written down nobody knows whether it was,
            // and whoever looks after the journal does.
            switch error.kind {
            case .unwanted, .unavailable, .busy: break
            default: try? await cancel(row.id, session: session)
            }
            throw error
        }
    }

    /// A small one is written down when its bytes are on disk: that is half of the work.
    private func take(
        _ file: FileOffer, _ session: ReceivingSession, _ terms: InviteTerms, _ bytes: [UInt8]
    ) async throws(ReceivingRefusal) -> IncomingFile {
        var new = try newFile(file, session, terms)
        let (id, name) = (new.id, new.name)
        let algorithms = manager.digests(ofSize: Int64(bytes.count), at: terms.destinations)
        let placed: PlacedFile
        do throws(IncomingFolder.Fault) {
            placed = try await BlockingThreads.sources.run { [folder, new] () throws(IncomingFolder.Fault) in
                try folder.place(new, bytes, algorithms)
            }
        } catch {
            throw .disk(name, error.number, length: file.length)
        }
        do throws(ReceivingRefusal) {
            if let promised = file.sha256, placed.digests[.sha256] != promised { throw .wrongDigest(name) }
            if terms.take(placed.type) { new.whole = placed.digests[.sha256] }
            let row = try await begun(new, terms)
            placed.release()
            news.begin(row.id, of: session.id)
            if new.whole == nil { throw await refuse(row, .unwanted(name, terms.takes)) }
            return try await finish(row, placed.digests)
        } catch {
            // What is written down is looked after by whoever has the journal; bytes of which nothing is are nobody's.
            if case .some(.none) = try? await store.incomingFile(id) { folder.remove(id) }
            throw error
        }
    }

    private static func bytes<Chunks: AsyncSequence>(
        of chunks: Chunks, _ name: String, _ length: Int64
    ) async throws(ReceivingRefusal) -> [UInt8] where Chunks.Element: Collection<UInt8> {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(max(0, length)))
        do {
            for try await chunk in chunks {
                if Int64(bytes.count + chunk.count) > length { throw ReceivingRefusal.longer(name, than: length) }
                bytes += chunk
            }
        } catch let refusal as ReceivingRefusal {
            throw refusal
        } catch {
            throw .brokenOff(name, at: 0)
        }
        if Task.isCancelled { throw .brokenOff(name, at: 0) }
        if bytes.count < length { throw .missing(name, offset: Int64(bytes.count), length: length) }
        return bytes
    }
}

/// A file that is on disk, and of which nothing is written down yet. Nobody tidies it up before it is released, or let go of.
private final class PlacedFile: Sendable {
    let digests: Digests
    let type: MediaType?
    private let lock: Locked<SpooledFile?>

    init(_ digests: Digests, _ type: MediaType?, _ lock: SpooledFile) {
        (self.digests, self.type, self.lock) = (digests, type, Locked(lock))
    }

    func release() { lock.withLock { $0 = nil } }
}

extension IncomingFolder {
    /// Makes a file of bytes that are all here. On return it is on disk with its name, as ``IncomingBytes/seal(modified:)`` leaves it.
    fileprivate func place(
        _ new: NewIncomingFile, _ bytes: [UInt8], _ algorithms: Set<DigestAlgorithm>
    ) throws(Fault) -> PlacedFile {
        try prepare(for: Int64(bytes.count))
        let lock = try hold(new.id)
        var file = IncomingBytes(self.file(new.id), length: Int64(bytes.count), upTo: 0, algorithms)
        defer { file.close() }
        do throws(Fault) {
            try file.open()
            var other: DigestPass?
            try file.append(bytes, also: &other)
            try file.seal(modified: new.modified)
            try syncNames()
        } catch {
            remove(new.id)
            throw error
        }
        return PlacedFile(file.digests, file.type(named: new.name), lock)
    }

    private func hold(_ id: IncomingFileID) throws(Fault) -> SpooledFile {
        do throws(Errno) {
            while true {
                // Whoever tidies up may have been there before the lock was.
                if let file = try SpooledFile(making: file(id)) { return file }
            }
        } catch {
            throw Fault(number: error.rawValue)
        }
    }
}
