internal import Submit
internal import SubmitHTTP
internal import SubmitPlatform
internal import SystemPackage

/// A file that is only looked at.
final class UnsentBytes: MediaBytes {
    let size: Int64
    private let descriptor: CInt

    var fileDescriptor: CInt? { descriptor }

    init(_ item: MediaItem) throws(SubmitFailure) {
        size = item.size
        descriptor = item.source.withPlatformString { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .usage("\(item.source) cannot be read.") }
    }

    deinit {
        close(descriptor)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        guard count >= 0 else { throw .usage("The file cannot be read.") }
        return count
    }

    func verifyUnchanged() {}
}

/// Where nothing is to be sent.
struct NoTransport: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        throw .body(SubmitFailure(.giveUp, code: "dry-run", message: "Nothing is sent in a dry run."))
    }
}
