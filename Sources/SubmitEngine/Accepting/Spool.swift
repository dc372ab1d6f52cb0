internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SubmitStore
package import SystemPackage

/// Copies of bytes that are no file of anybody's, in a folder beside the journal that only its owner can read.
///
/// A copy stays as long as the journal needs it; see ``SubmissionLedger/needs(_:toRetry:)``. Whoever writes one holds a lock on it until the
/// journal knows of it, so that what a process leaves that dies in between is found by the next look, and goes.
final class Spool: Sendable {
    // Hidden, so that whoever submits the folder of the journal does not take these for photos to be sent.
    let folder: FilePath
    private let prefix: String
    private let store: any Store
    /// One look at a copy at a time: another one would find it locked, and leave it to this one.
    private let turn = AsyncSemaphore(1)
    private let isFolderSynced = Locked(false)

    init(_ store: any Store) {
        self.store = store
        let beside = store.spool.removingLastComponent()
        // However others of the same journal come to it, or whoever changes the working folder.
        let real = realpath(beside.isEmpty ? "." : beside.string, nil)
        defer { free(real) }
        folder = (real.map { FilePath(platformString: $0) } ?? beside)
            .appending(store.spool.lastComponent?.string ?? "spool")
        prefix = folder.string + "/"
    }

    /// Whether a path leads into it.
    func has(_ path: FilePath) -> Bool {
        path.withPlatformString { strncmp($0, prefix, prefix.utf8.count) == 0 }
    }

    // MARK: Writing

    /// Copies all bytes. On return they are on disk, under a name that nothing had before.
    ///
    /// Blocks its thread, and ends when the task is cancelled.
    ///
    /// - Throws: what reading throws; with the code `spool` when they cannot be written. Nothing is left then.
    func copy(_ bytes: any MediaBytes, of name: String) throws(SubmitFailure) -> SpooledFile {
        let file: SpooledFile
        do throws(Errno) {
            file = try makeFile()
        } catch {
            throw Self.failure(name, error)
        }
        do throws(SubmitFailure) {
            try Self.copy(bytes, of: name, to: file)
            try bytes.verifyUnchanged()
            do throws(Errno) {
                try file.sync()
                try Self.sync(folder)
            } catch {
                throw Self.failure(name, error)
            }
        } catch {
            unlink(file.path.string)
            throw error
        }
        return file
    }

    private func makeFile() throws(Errno) -> SpooledFile {
        if mkdir(folder.string, 0o700) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
        // Whoever made it may have died before it was on disk.
        if !isFolderSynced.withLock({ $0 }) {
            try Self.sync(folder.removingLastComponent())
            isFolderSynced.withLock { $0 = true }
        }
        while true {
            let name = Hexadecimal.text(of: (0..<16).map { _ in .random(in: 0 ... .max) })
            // One that was tidied up before it was locked is nobody's.
            if let file = try SpooledFile(making: folder.appending(name)) { return file }
        }
    }

    private static func copy(_ bytes: any MediaBytes, of name: String, to file: SpooledFile) throws(SubmitFailure) {
        var offset: Int64 = 0
        while offset < bytes.size {
            if Task.isCancelled { throw .cancelled }
            let piece = try bytes.bytes(at: offset, count: Int(min(1 << 20, bytes.size - offset)))
            guard !piece.isEmpty else {
                throw SubmitFailure(
                    .giveUp, code: "source-short",
                    message: "“\(name)” ended after \(offset) of \(bytes.size) bytes: submit it again.")
            }
            do throws(Errno) {
                try file.append(piece)
            } catch {
                throw failure(name, error)
            }
            offset += Int64(piece.count)
        }
    }

    private static func failure(_ name: String, _ error: Errno) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "spool",
            message: "“\(name)” could not be kept beside the journal (\(error)): check the disk it is on.")
    }

    private static func sync(_ folder: FilePath) throws(Errno) {
        let descriptor = open(folder.isEmpty ? "." : folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw Errno(rawValue: errno) }
    }

    // MARK: Tidying up

    /// Removes what the journal does not need, of all that is there.
    func tidy() async {
        let names = await BlockingThreads.sources.run { [folder] in Self.names(in: folder) }
        for name in names { await tidy(folder.appending(name)) }
    }

    /// Removes a copy that the journal does not need. One that cannot be looked at stays for the next look.
    ///
    /// - Parameter toRetry: false: what failed needs none.
    /// - Returns: whether it is gone by this.
    @discardableResult
    func tidy(_ path: FilePath, toRetry: Bool = true) async -> Bool {
        guard has(path), await turn.acquire() else { return false }
        defer { turn.release() }
        guard let file = SpooledFile(locking: path), let isNeeded = try? await store.needs(path, toRetry: toRetry),
            !isNeeded
        else { return false }
        return withExtendedLifetime(file) { unlink(path.string) == 0 }
    }

    /// The same of one that this process has written. A program that is being started has its lock, too, until it begins.
    func tidyOwn(_ path: FilePath) async {
        for _ in 0..<50 where has(path) {
            if SpooledFile(locking: path) != nil { break }
            guard (try? FileStatus.of(path)) != nil, (try? await Task.sleep(for: .milliseconds(2))) != nil else {
                return
            }
        }
        await tidy(path)
    }

    /// Looks at a copy whose submission has come to an end.
    func hear(_ event: SubmitEvent) {
        switch event {
        case .done(let note, _), .failed(let note, _), .cancelled(let note):
            if has(note.item.source) { Task { await tidy(note.item.source) } }
        default: break
        }
    }

    private static func names(in folder: FilePath) -> [String] {
        guard let stream = opendir(folder.string) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}

/// A file of the spool that nobody else writes or removes as long as this value lives.
package final class SpooledFile: Sendable {
    let path: FilePath
    private let descriptor: CInt

    /// - Returns: `nil` where somebody removed it at this moment.
    package init?(making path: FilePath) throws(Errno) {
        self.path = path
        // Its folder keeps others out. A copy gets no rights that its source does not have, and should be like any file.
        descriptor = open(path.string, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        while flock(descriptor, LOCK_EX) != 0 {
            if errno == EINTR { continue }
            let error = Errno(rawValue: errno)
            unlink(path.string)
            throw error
        }
        guard isThere else { return nil }
    }

    /// - Returns: `nil` where somebody has it, or nobody does any more.
    init?(locking path: FilePath) {
        self.path = path
        descriptor = open(path.string, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0, isThere else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private var isThere: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    func append(_ bytes: [UInt8]) throws(Errno) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw Errno(rawValue: errno) }
        }
    }

    func sync() throws(Errno) {
        if fsync(descriptor) != 0 { throw Errno(rawValue: errno) }
    }
}
