internal import CLinux
public import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitPlatform
public import SubmitPixels
internal import SubmitStore
public import SystemPackage

/// What a destination would get of a file.
public struct RenditionPreview: Sendable {
    /// By what it is made: `RenditionPolicy.original` where the file goes as it is.
    public let policy: RenditionPolicy
    /// The item as it was looked at.
    public let item: MediaItem
    /// What would be sent: of the same name, but for its end where it is of another type.
    public internal(set) var content: MediaItem
    /// Pixels of its sides, where they are new.
    public let pixels: PixelBox?

    /// What was done, for people: “place removed, 2048x1365”.
    public var words: String {
        let words = policy.words(of: item.type.kind)
        return pixels.map { "\(words), \($0)" } ?? words
    }
}

extension SubmitManager {
    /// Makes what a destination would get of a file, proves that it is clean, and sends nothing.
    ///
    /// - Parameters:
    ///   - item: as ``preview(_:_:)`` shows it.
    ///   - name: the destination.
    ///   - asked: as ``SubmitRequest/rendition``.
    ///   - output: a file to be made of it, which must not be there; `nil`: nothing is kept.
    /// - Throws: `unknown-destination` and `no-rendition`, to give up with; what the destination does not take of it, such as `too-large`; `photo-damaged` and `rendition-unclean`, to give up
    ///   with, for a file of which nothing can be made that is proven to be clean; what reading it throws; `output`, to give up
    ///   with, where the file cannot be made. Cancelling the task ends it.
    public func preview(
        rendition item: MediaItem, at name: String, asked: RenditionPolicy? = nil, to output: FilePath? = nil
    ) async throws(SubmitFailure) -> RenditionPreview {
        let destination = try destination(named: name)
        let policy = destination.rendition(asked: asked)
        if policy.isOriginal, output == nil {
            return RenditionPreview(policy: policy, item: item, content: destination.published(item), pixels: nil)
        }
        let capabilities = destination.submitter.capabilities
        // Where it cannot be asked, what is known of it has to do.
        let limits = try? await destination.limits(of: policy.kind(of: item))
        let outcome = await BlockingThreads.sources.run { () -> Result<RenditionPreview, SubmitFailure> in
            do throws(SubmitFailure) {
                var preview = try RenditionPlan(policy, item, at: destination, limits: limits).preview(to: output)
                preview.content = destination.published(preview.content)
                if let refusal = capabilities.refusal(of: preview.content, SubmissionOptions(), at: name) {
                    throw refusal
                }
                return .success(preview)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

extension RenditionPlan {
    /// Blocks its thread.
    fileprivate func preview(to output: FilePath?) throws(SubmitFailure) -> RenditionPreview {
        let source = try GuardedFile.open(item)
        let (file, path) = try Self.file(output)
        var isOpen = true
        do throws(SubmitFailure) {
            let made = try make(
                of: source, scratch: { () throws(SubmitFailure) in try Self.file(nil).0.rawValue }
            ) { (bytes) throws(SubmitFailure) in
                if Task.isCancelled { throw .cancelled }
                do throws(Errno) {
                    try file.append(bytes)
                } catch {
                    throw Self.failure(path, error)
                }
            }
            try source.verifyUnchanged()
            isOpen = false
            let bytes = try GuardedFile(descriptor: file.rawValue, path: path)
            try check(made, in: bytes)
            return RenditionPreview(
                policy: policy, item: item, content: try rendition(made, in: bytes).content(of: item),
                pixels: made.pixels)
        } catch {
            if isOpen { close(file.rawValue) }
            if output != nil { path.withPlatformString { _ = unlink($0) } }
            throw error
        }
    }

    /// One that nobody had before, or one in memory.
    private static func file(_ output: FilePath?) throws(SubmitFailure) -> (FileDescriptor, FilePath) {
        let path = output ?? "memory"
        let descriptor =
            output?.withPlatformString { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
            ?? submit_make_memory_file()
        guard descriptor >= 0 else { throw failure(path, Errno(rawValue: errno)) }
        return (FileDescriptor(rawValue: descriptor), path)
    }

    private static func failure(_ path: FilePath, _ error: Errno) -> SubmitFailure {
        let cure = error == .fileExists ? "name a file that is not there yet" : "name another place"
        return SubmitFailure(
            .giveUp, code: "output", message: "“\(path)” cannot be written (\(error)): \(cure).")
    }
}
