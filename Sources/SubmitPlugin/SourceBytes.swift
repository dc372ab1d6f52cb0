internal import Submit
internal import SubmitPlatform
internal import SubmitPluginProtocol
internal import SystemPackage

/// An item's bytes: from its file, where the host names one that can be opened, or by message.
///
/// Both ways of asking the host block the calling thread until its answer is there: see ``Questions``.
final class SourceBytes: MediaBytes {
    let size: Int64
    private let id: Int
    private let item: MediaItem
    private let questions: Questions
    private let progress: RequestProgress
    private let file: FileDescriptor?

    init(_ attempt: AttemptDescription, id: Int, questions: Questions, progress: RequestProgress) {
        size = attempt.item.size
        item = attempt.item
        self.id = id
        self.questions = questions
        self.progress = progress
        // No waiting for the other end of what is a pipe by now.
        file = attempt.path.flatMap { path in
            try? FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
        }
    }

    deinit {
        try? file?.close()
    }

    var fileDescriptor: CInt? { file?.rawValue }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        guard offset >= 0, offset < size else { return 0 }
        let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: size - offset)))
        var filled = 0
        while filled < wanted.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: wanted[filled...])
            let count = try piece(into: rest, at: offset + Int64(filled))
            guard count > 0 else {
                try verifyUnchanged()
                throw SubmitFailure(
                    .retry(after: nil), code: "source-changed",
                    message: "“\(item.name)” ended before its last byte: it is tried again.")
            }
            filled += count
        }
        if offset + Int64(filled) == size, let file, !isAsAccepted(file) { try verifyUnchanged() }
        return filled
    }

    func verifyUnchanged() throws(SubmitFailure) {
        progress.tell()
        _ = try questions.askBlocking(.unchanged(id: id)).needed.get()
    }

    private func piece(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        guard let file else {
            let length = min(buffer.count, PluginProtocol.longestRead)
            let reply = questions.askBlocking(.read(id: id, offset: offset, length: length))
            guard case .bytes(let bytes) = try reply.needed.get() else { return 0 }
            let count = min(bytes.count, length)
            buffer.copyBytes(from: bytes.prefix(count))
            return count
        }
        do {
            return try file.read(fromAbsoluteOffset: offset, into: buffer)
        } catch {
            try verifyUnchanged()
            throw SubmitFailure(
                .retry(after: nil), code: "source-unreadable",
                message: "“\(item.name)” cannot be read (\(error)): it is tried again.")
        }
    }

    /// Whether the open file has the size and the time of the accepted one: then the host need not be asked.
    private func isAsAccepted(_ file: FileDescriptor) -> Bool {
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { return false }
        let modified = Timestamp(seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int64(status.st_mtim.tv_nsec))
        return Int64(status.st_size) == size && modified == item.modified
    }
}
