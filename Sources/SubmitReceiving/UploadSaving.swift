internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SubmitStore

/// Writes down how far an upload has come while more comes: of one that is sent at one go, and broken off by the end of this
/// process, little is lost.
final class UploadSaving: Sendable {
    private let upload: IncomingUpload
    private let store: any Store
    private let life: Duration
    private let state: Locked<(saved: Int64, task: Task<Void, Never>?, isOver: Bool)>

    init(_ upload: IncomingUpload, _ store: any Store, _ life: Duration, from offset: Int64) {
        self.upload = upload
        self.store = store
        self.life = life
        state = Locked((offset, nil, false))
    }

    /// Begins to save what is written, where that is much, and nothing is being saved.
    ///
    /// - Returns: false where the file takes nothing any more.
    func save(upTo written: Int64) async -> Bool {
        let (isDue, isOver) = state.withLock { state in
            (state.task == nil && written - state.saved >= UploadWriting.span, state.isOver)
        }
        if isOver { return false }
        if !isDue { return true }
        let descriptor = try? await upload.with { (bytes) throws(IncomingFolder.Fault) in bytes.duplicate() }
        guard let descriptor, descriptor >= 0 else { return true }
        let task = Task { [upload, store, life, state] in
            let error = await BlockingThreads.sources.run {
                defer { close(descriptor) }
                return fdatasync(descriptor) == 0 ? 0 : errno
            }
            var isOver = false
            do throws(IncomingFolder.Fault) {
                try await upload.with { (bytes) throws(IncomingFolder.Fault) in try bytes.lasts(upTo: written, error) }
                if let isOpen = try? await store.advance(upload.id, to: written, life: life) {
                    if isOpen { upload.offset = written }
                    isOver = !isOpen
                }
            } catch {
                // Whoever settles it finds that out, too.
                isOver = true
            }
            state.withLock { [isOver] in $0 = (written, nil, isOver) }
        }
        state.withLock { if $0.saved < written { $0.task = task } }
        return true
    }

    /// Nothing is being saved when this returns.
    func end() async { await state.withLock { $0.task }?.value }
}
