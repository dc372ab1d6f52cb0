internal import Submit
internal import SubmitDigest
internal import SubmitPlatform

/// A copy that a program fetched.
struct FetchedFile {
    let path: String

    init(_ path: String) { self.path = path }

    /// Whether it is the item's bytes.
    func equals(_ item: MediaItem) async throws(SubmitFailure) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SubmitFailure(
                .retry(after: nil), code: "not-fetched",
                message:
                    "“\(item.name)” could not be read back: the program said that it fetched it, and there is no file.")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) == item.size
        else { return false }
        let digests = try Digests.reading([.sha256], size: item.size) { (buffer, offset) in
            max(0, pread(descriptor, buffer.baseAddress, buffer.count, Int(offset)))
        }
        return digests[.sha256] == item.digests[.sha256]
    }
}
