internal import SubmitPlatform
internal import SystemPackage

/// Where another process of this user can read an item's bytes.
package struct AcceptedPath: Sendable {
    /// The accepted file's own path as long as it leads to the bytes, and otherwise the open file's: it may have been
    /// moved, removed or replaced.
    package let text: String
    private let item: MediaItem
    /// The open file, where its own path was told, which may lead elsewhere later.
    private let file: Place?

    private struct Place: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }

        init?(of path: FilePath) {
            var status = stat()
            guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
            self.init(status)
        }
    }

    /// `nil` where there is no file.
    package init?(_ item: MediaItem, _ bytes: any MediaBytes) {
        guard let descriptor = bytes.fileDescriptor else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.item = item
        let open = Place(status)
        // What is not UTF-8 cannot be told.
        if let path = String(validating: item.source), Place(of: item.source) == open {
            text = path
            file = open
        } else {
            text = "/proc/\(getpid())/fd/\(descriptor)"
            file = nil
        }
    }

    /// Whoever opens the path does it at a time of its own: what leads elsewhere afterwards may have done so before.
    ///
    /// - Throws: with the code `source-changed`, to be tried again, when the path no longer leads to the accepted file.
    package func verifyInPlace() throws(SubmitFailure) {
        if let file, Place(of: item.source) != file {
            throw SubmitFailure(
                .retry(after: .zero), code: "source-changed",
                message:
                    "“\(item.source)” is no longer what was accepted (it was moved, removed or replaced while it was sent): "
                    + "submit it again to send it as it now is.")
        }
    }
}
