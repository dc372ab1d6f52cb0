internal import Submit
internal import SystemPackage

/// The source of an item that is not being sent, as far as it can be read.
final class SourceFile: MediaBytes {
    let size: Int64
    private let descriptor: FileDescriptor

    /// - Returns: `nil` where it cannot be opened.
    init?(_ item: MediaItem) {
        guard let descriptor = try? FileDescriptor.open(item.source, .readOnly, options: [.closeOnExec, .nonBlocking])
        else {
            return nil
        }
        self.descriptor = descriptor
        size = item.size
    }

    deinit { try? descriptor.close() }

    var fileDescriptor: CInt? { descriptor.rawValue }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let wanted = Int(min(Int64(buffer.count), max(0, size - offset)))
        do {
            var filled = 0
            while filled < wanted {
                let count = try descriptor.read(
                    fromAbsoluteOffset: offset + Int64(filled),
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<wanted]))
                if count == 0 { break }
                filled += count
            }
            return filled
        } catch {
            throw SubmitFailure(
                .retry(after: nil), code: "source-unreadable",
                message: "A source could not be read (\(error)): check the disk it is on.")
        }
    }

    func verifyUnchanged() throws(SubmitFailure) {}
}
