internal import CLinux
internal import SubmitPlatform

/// A file with some bytes that is in no folder and goes with this value. Nobody can change it.
final class MemoryFile: Sendable {
    let descriptor: CInt

    init(_ content: ArraySlice<UInt8>) {
        descriptor = submit_make_memory_file()
        precondition(
            descriptor >= 0, "The kernel makes no file in memory: it is older than Linux 3.17, or has no room.")
        content.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = write(descriptor, bytes.baseAddress! + written, bytes.count - written)
                precondition(count > 0 || errno == EINTR, "There is no memory for a file of \(bytes.count) bytes.")
                written += max(0, count)
            }
        }
        _ = submit_seal_memory_file(descriptor)
    }

    deinit { close(descriptor) }

    /// By which any program of the same user opens it, as long as this process lives.
    var path: String { "/proc/\(getpid())/fd/\(descriptor)" }
}
