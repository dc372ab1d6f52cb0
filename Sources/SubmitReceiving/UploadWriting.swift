internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitPlatform

/// Writes what comes for an upload piece by piece, one behind the other: while one is written the next one comes, and no more.
struct UploadWriting {
    /// How much is gathered before it is written.
    static let piece = 256 << 10
    /// After how much what is there is made to last, though more comes.
    static let span: Int64 = 16 << 20

    private let upload: IncomingUpload
    private let checksum: Locked<DigestPass?>
    private var gathered: [UInt8] = []
    private var writing: Task<Result<Int64, IncomingFolder.Fault>, Never>?
    /// Where it will be when all is written.
    private(set) var end: Int64
    /// Where it is known to be.
    private(set) var written: Int64

    init(_ upload: IncomingUpload, at offset: Int64, _ algorithm: DigestAlgorithm?) {
        self.upload = upload
        end = offset
        written = offset
        checksum = Locked(algorithm.map { DigestPass([$0]) })
    }

    mutating func add(_ chunk: some Collection<UInt8>) async throws(IncomingFolder.Fault) {
        // Byte by byte is what it would be otherwise, of a type that this does not know.
        if chunk.withContiguousStorageIfAvailable({ gathered.append(contentsOf: $0) }) == nil {
            gathered.append(contentsOf: chunk)
        }
        end += Int64(chunk.count)
        if gathered.count >= Self.piece { try await flush() }
    }

    private mutating func flush() async throws(IncomingFolder.Fault) {
        try await settle()
        if gathered.isEmpty { return }
        let bytes = gathered
        gathered = []
        gathered.reserveCapacity(Self.piece + (64 << 10))
        // Not a child of the caller's: what came counts, also where that is cancelled.
        writing = Task { [upload, checksum] in
            do throws(IncomingFolder.Fault) {
                return .success(
                    try await upload.with { (file) throws(IncomingFolder.Fault) in
                        try checksum.withLock { (checksum) throws(IncomingFolder.Fault) in
                            try file.append(bytes, also: &checksum)
                        }
                        return file.end
                    })
            } catch {
                return .failure(error)
            }
        }
    }

    private mutating func settle() async throws(IncomingFolder.Fault) {
        guard let task = writing else { return }
        writing = nil
        written = try await task.value.get()
    }

    /// All that came is written when this returns.
    mutating func finish() async throws(IncomingFolder.Fault) {
        try await flush()
        try await settle()
    }

    /// The digest of what came.
    func digest(_ algorithm: DigestAlgorithm) -> [UInt8]? {
        checksum.withLock { $0?.finalize()[algorithm] }
    }
}
