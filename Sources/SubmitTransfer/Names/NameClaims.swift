internal import SubmitConcurrency

/// The names that are looked at or stored under in this process.
///
/// Two photos must not both find a name free and then replace each other where the server doesn't stop it. Within one
/// destination, a photo that may have another name doesn't wait for the first one's upload. All others wait, and look again.
final class NameClaims: Sendable {
    /// Content on its way to a name.
    struct Upload: Sendable, Hashable {
        /// The allocator's index: one for each destination.
        let owner: ObjectIdentifier
        let identity: String
        let sha256: [UInt8]

        /// Names that may be one at the destination are claimed as one: equal strings are canonically equivalent.
        fileprivate var key: String { identity.lowercased() }

        /// Whether another item of one destination wants the very same name.
        fileprivate func excludes(_ other: Upload) -> Bool {
            owner == other.owner && sha256 != other.sha256 && identity.utf8.elementsEqual(other.identity.utf8)
        }
    }

    enum Answer {
        case isOurs
        /// Another item is on its way there.
        case isAnothers
        case cancelled
    }

    /// For all destinations: two may be the same folder.
    static let ofProcess = NameClaims()

    /// One look at a time.
    private let looks = KeyedLock()
    /// One upload at a time.
    private let uploads = KeyedLock()
    private let coming = Locked<[String: Upload]>([:])

    /// Waits until nobody looks at the name.
    ///
    /// - Parameter waits: it also waits for another item's upload.
    func beginLook(_ upload: Upload, waits: Bool) async -> Answer {
        guard await looks.acquire(upload.key) else { return .cancelled }
        if !waits, isAnothers(upload) {
            looks.release(upload.key)
            return .isAnothers
        }
        guard await uploads.acquire(upload.key) else {
            looks.release(upload.key)
            return .cancelled
        }
        return .isOurs
    }

    /// Ends a claim without an upload.
    func endLook(_ upload: Upload) {
        looks.release(upload.key)
        uploads.release(upload.key)
    }

    /// Lets others see that an upload goes to the name.
    func beginUpload(_ upload: Upload) {
        coming.withLock { $0[upload.key] = upload }
        looks.release(upload.key)
    }

    func endUpload(_ upload: Upload) {
        coming.withLock { $0[upload.key] = nil }
        uploads.release(upload.key)
    }

    /// Whether another item is on its way to the name.
    func isAnothers(_ upload: Upload) -> Bool { coming.withLock { $0[upload.key] }?.excludes(upload) ?? false }

    /// Claims a name without waiting.
    ///
    /// - Returns: false if another item is on its way there.
    func claim(_ upload: Upload) -> Bool {
        coming.withLock { coming in
            if let other = coming[upload.key] { return !other.excludes(upload) }
            coming[upload.key] = upload
            return true
        }
    }

    func release(_ upload: Upload) {
        coming.withLock { if $0[upload.key] == upload { $0[upload.key] = nil } }
    }
}
