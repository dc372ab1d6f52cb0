internal import Submit
internal import SubmitConcurrency

/// Keys at which uploads of this process may yet become objects: a server can go on with one after it answered that it
/// does not, and shows nothing of that. What another submission stores there meanwhile would be replaced.
final class PendingKeys: Sendable {
    private struct Upload {
        let submission: String
        let item: MediaItem
        let until: ContinuousClock.Instant
    }

    /// No server goes on for longer: "CompleteMultipartUpload" in the Amazon S3 API reference speaks of minutes.
    private static let longest = Duration.seconds(3600)

    private let uploads = Locked<[String: Upload]>([:])

    /// An upload may become the object at this URL, from now on until its submission came to an end. Of two the first is
    /// awaited.
    func add(_ url: String, _ item: MediaItem, by submission: String) {
        let now = ContinuousClock.now
        uploads.withLock { uploads in
            if let other = uploads[url], other.submission != submission, other.until > now { return }
            uploads[url] = Upload(submission: submission, item: item, until: now + Self.longest)
        }
    }

    /// The item of another submission that may yet come there.
    func item(at url: String, besides submission: String) -> MediaItem? {
        let upload = uploads.withLock { $0[url] }
        guard let upload, upload.submission != submission, upload.until > .now else { return nil }
        return upload.item
    }

    /// The submission came to an end.
    func remove(_ submission: String) {
        uploads.withLock { uploads in uploads = uploads.filter { $0.value.submission != submission } }
    }
}
