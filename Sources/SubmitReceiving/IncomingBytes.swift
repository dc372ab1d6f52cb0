internal import CLinux
internal import Submit
internal import SubmitDigest
internal import SubmitMedia
internal import SubmitPlatform
internal import SystemPackage

/// The bytes of one file that are there, and their digests so far. One at a time has it; all of it blocks its thread.
///
/// It keeps no file open between two askings: of a thousand files that were begun most wait.
struct IncomingBytes {
    typealias Fault = IncomingFolder.Fault

    let path: FilePath
    /// All of it; `nil` where nobody knows.
    let length: Int64?
    private let algorithms: Set<DigestAlgorithm>
    /// Up to where bytes are there.
    private(set) var end: Int64
    private var pass: DigestPass
    /// Up to where they are taken in by the digests.
    private var digested: Int64 = 0
    private var descriptor: CInt = -1
    private var marked: (end: Int64, pass: DigestPass)?
    private var isSealed = false
    /// Up to where a sync has said that all is on disk.
    private var durable: Int64
    /// The disk did not take what came behind that: another sync would say nothing of it (fsync(2)).
    private var fault: Fault?
    /// Someone wanted it no more: nothing is written.
    private(set) var isDiscarded = false

    /// - Parameter end: up to where they are on disk for good, as was written down.
    init(_ path: FilePath, length: Int64?, upTo end: Int64, _ algorithms: Set<DigestAlgorithm>) {
        self.path = path
        self.length = length
        self.end = end
        durable = end
        self.algorithms = algorithms
        pass = DigestPass(algorithms)
    }

    /// Opens the file, which may be shorter than was written down, or longer by bytes that nobody promised.
    mutating func open() throws(Fault) {
        if descriptor >= 0 { return }
        if isDiscarded { throw Fault(number: ECANCELED) }
        let opened = path.withPlatformString { Glibc.open($0, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard opened >= 0 else { throw Fault(number: errno) }
        descriptor = opened
        do throws(Fault) {
            var status = stat()
            guard fstat(opened, &status) == 0 else { throw Fault(number: errno) }
            end = min(fault == nil ? end : durable, end, Int64(status.st_size))
            if status.st_size > end { try cut() }
            if digested > end || fault != nil { (pass, digested) = (DigestPass(algorithms), 0) }
            fault = nil
            try digestRest()
        } catch {
            close()
            throw error
        }
    }

    mutating func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// What came before this process, or before a cut.
    private mutating func digestRest() throws(Fault) {
        if digested == end { return }
        let size = 256 << 10
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        while digested < end {
            let count = pread(descriptor, buffer.baseAddress, min(size, Int(end - digested)), off_t(digested))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Fault(number: count < 0 ? errno : EIO) }
            pass.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            digested += Int64(count)
        }
    }

    /// Writes at the end. Where it fails, what was written of it counts.
    ///
    /// - Parameter also: takes in the same.
    mutating func append(_ bytes: [UInt8], also: inout DigestPass?) throws(Fault) {
        if isDiscarded { throw Fault(number: ECANCELED) }
        if let fault { throw fault }
        isSealed = false
        var fault: Fault?
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(end))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    fault = Fault(number: count < 0 ? errno : EIO)
                    return
                }
                let written = UnsafeRawBufferPointer(rebasing: rest[..<count])
                pass.update(written)
                also?.update(written)
                end += Int64(count)
                digested = end
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
        if let fault { throw fault }
    }

    mutating func sync() throws(Fault) {
        try lasts(upTo: end, fdatasync(descriptor) == 0 ? 0 : errno)
    }

    /// Notes what a sync said.
    ///
    /// - Parameter error: 0, or that with which it failed: what came behind the last one that did not is sent again.
    mutating func lasts(upTo offset: Int64, _ error: CInt) throws(Fault) {
        if error != 0 { fault = Fault(number: error) }
        if let fault { throw fault }
        durable = max(durable, min(offset, end))
    }

    /// A descriptor of its own for the same file, to sync while more is written.
    func duplicate() -> CInt { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    /// Remembers where it stands, to come back to.
    mutating func mark() { marked = (end, pass) }

    /// Drops what came behind the mark, and keeps the room for it.
    mutating func cutToMark() throws(Fault) {
        guard let marked else { return }
        (end, pass) = marked
        digested = end
        try cut()
    }

    /// Drops all of it, and keeps the room.
    mutating func cutToNothing() throws(Fault) {
        (end, digested, pass) = (0, 0, DigestPass(algorithms))
        isSealed = false
        try cut()
    }

    private mutating func cut() throws(Fault) {
        durable = min(durable, end)
        while ftruncate(descriptor, off_t(end)) != 0 { if errno != EINTR { throw Fault(number: errno) } }
        if let length { try IncomingFolder.reserve(descriptor, length) }
    }

    /// Its type by its first bytes.
    func type(named name: String) -> MediaType? { Self.type(of: descriptor, named: name) }

    /// The type of a file that is whole; `nil` also if it cannot be read. Blocks its thread.
    static func type(of path: FilePath, named name: String) -> MediaType? {
        let descriptor = path.withPlatformString { Glibc.open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        return type(of: descriptor, named: name)
    }

    private static func type(of descriptor: CInt, named name: String) -> MediaType? {
        let head = [UInt8](unsafeUninitializedCapacity: MediaTypeDetector.headLength) { buffer, filled in
            filled = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return MediaTypeDetector.type(of: head.span, fileExtension: FilePath(name).extension ?? "")
    }

    /// Makes it like any file: with its own time, and with no fewer rights than a copy of it should have, as its folder keeps
    /// others out. On return all of it is on disk, its marks too, by which a change would show.
    mutating func seal(modified: Timestamp?) throws(Fault) {
        if isSealed { return }
        if fchmod(descriptor, 0o644) != 0 { throw Fault(number: errno) }
        // Photos are no older than photography.
        if let modified, modified < .now, modified.seconds > -5_000_000_000 {
            let error = submit_set_modification_time(descriptor, modified.seconds, modified.nanosecondsOfSecond)
            if error != 0 { throw Fault(number: error) }
        }
        try lasts(upTo: end, fsync(descriptor) == 0 ? 0 : errno)
        isSealed = true
    }

    var digests: Digests { pass.finalize() }

    /// Writes no more, whoever is at it: whether the file goes is for whoever knows who needs it.
    mutating func discard() {
        isDiscarded = true
        close()
    }
}
