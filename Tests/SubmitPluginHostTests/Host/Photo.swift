import Glibc
import Submit
import SubmitDigest
import SubmitTesting
import SystemPackage
import TestServers

/// A photo in a folder of its own, opened as the engine does it.
final class Photo: MediaBytes {
    let folder = TemporaryFolder()
    let item: MediaItem
    let size: Int64
    let fileDescriptor: CInt?
    private let descriptor: CInt
    private let modified: timespec

    static let changed = SubmitFailure(
        .retry(after: .zero), code: "source-changed",
        message: "“IMG_1.jpg” is no longer what was accepted: submit it again.")

    init(_ name: String = "IMG_1.jpg", bytes count: Int = 5000, hasDescriptor: Bool = true) throws {
        let content = ScriptedBytes(ScriptedBytes.content(count: count))
        let path = try folder.write(content.content, to: name)
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        fileDescriptor = hasDescriptor ? descriptor : nil
        size = Int64(count)
        var status = stat()
        fstat(descriptor, &status)
        modified = status.st_mtim
        var item = content.item(named: name)
        item.source = FilePath(path)
        self.item = item
    }

    deinit { close(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, Int(offset))
        if offset + Int64(count) >= size { try verifyUnchanged() }
        return count
    }

    func verifyUnchanged() throws(SubmitFailure) {
        var status = stat()
        fstat(descriptor, &status)
        guard status.st_size == Int(size), status.st_mtim.tv_sec == modified.tv_sec,
            status.st_mtim.tv_nsec == modified.tv_nsec
        else { throw Self.changed }
    }

    /// Someone puts another photo in its place.
    func replace() {
        _ = try? folder.write("another photo", to: "new.jpg")
        rename(folder.path("new.jpg"), item.source.string)
    }

    /// Someone writes to the photo.
    func change() {
        let file = open(item.source.string, O_WRONLY | O_APPEND)
        _ = write(file, "x", 1)
        close(file)
    }
}
