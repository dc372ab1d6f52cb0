internal import CLinux
public import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitPlatform
public import SubmitStore
public import SystemPackage

/// What a destination would get of a file.
public struct RenditionPreview: Sendable {
    /// By what it is made: `RenditionPolicy.original` where the file goes as it is.
    public let policy: RenditionPolicy
    /// The item as it was looked at.
    public let item: MediaItem
    /// What would be sent, of the same name.
    public let content: MediaItem
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
        if let refusal = policy.refusal(of: item, at: name) { throw refusal }
        if policy.isOriginal, output == nil { return RenditionPreview(policy: policy, item: item, content: item) }
        let capabilities = destination.submitter.capabilities
        let outcome = await BlockingThreads.sources.run { () -> Result<RenditionPreview, SubmitFailure> in
            do throws(SubmitFailure) {
                let content = try policy.preview(item, at: name, capabilities, to: output)
                if let refusal = capabilities.refusal(of: content, album: nil, .usual, at: name) { throw refusal }
                return .success(RenditionPreview(policy: policy, item: item, content: content))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

extension RenditionPolicy {
    fileprivate func preview(
        _ item: MediaItem, at destination: String, _ capabilities: Capabilities, to output: FilePath?
    ) throws(SubmitFailure) -> MediaItem {
        let source = try GuardedFile.open(item)
        let (file, path) = try Self.file(output)
        do throws(SubmitFailure) {
            try make(of: source, as: item) { (bytes) throws(SubmitFailure) in
                if Task.isCancelled { throw .cancelled }
                do throws(Errno) {
                    try file.append(bytes)
                } catch {
                    throw Self.failure(path, error)
                }
            }
            try source.verifyUnchanged()
            let made = try GuardedFile(descriptor: file.rawValue, path: path)
            try check(made, of: item, for: destination)
            var content = item
            content.size = made.size
            content.digests = try Digests.reading(capabilities.digests(ofSize: made.size), of: made)
            return content
        } catch {
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
