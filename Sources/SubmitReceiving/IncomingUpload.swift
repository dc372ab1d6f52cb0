internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitStore
internal import SystemPackage

/// An unfinished file as this process knows it: its bytes, and who is at it.
final class IncomingUpload: Sendable {
    let id: IncomingFileID
    let name: String
    let length: Int64?
    let session: SessionID
    private let bytes: Locked<IncomingBytes>
    private let isWritten = Locked(false)
    private let told: Locked<Int64>
    /// Finishing and cancelling take turns; who cancels does not wait for who writes.
    let turn = AsyncSemaphore(1)

    init(_ file: IncomingFile, in folder: IncomingFolder, _ algorithms: Set<DigestAlgorithm>) {
        id = file.id
        name = file.name
        length = file.length
        session = file.session
        told = Locked(file.offset)
        bytes = Locked(
            IncomingBytes(folder.file(file.id), length: file.length, upTo: file.offset, algorithms))
    }

    /// Up to where bytes are on disk for good.
    var offset: Int64 {
        get { told.withLock { $0 } }
        set { told.withLock { $0 = newValue } }
    }

    /// Takes it for one writer.
    ///
    /// - Returns: false where somebody has it.
    func take() -> Bool {
        isWritten.withLock { isWritten in
            defer { isWritten = true }
            return !isWritten
        }
    }

    func leave() { isWritten.withLock { $0 = false } }

    /// Does something with the bytes, on a thread that may block.
    func with<Value: Sendable>(
        _ body: @Sendable (inout IncomingBytes) throws(IncomingFolder.Fault) -> Value
    ) async throws(IncomingFolder.Fault) -> Value {
        try await BlockingThreads.sources.run { [bytes] () throws(IncomingFolder.Fault) in
            try bytes.withLock { (bytes) throws(IncomingFolder.Fault) in try body(&bytes) }
        }
    }
}
