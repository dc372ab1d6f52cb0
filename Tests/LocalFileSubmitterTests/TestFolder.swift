import Glibc
import LocalFileSubmitter
import Submit
import SubmitDigest
import SystemPackage

/// A folder that goes when the test ends, with a place for originals and a destination's root.
final class TestFolder: Sendable {
    let path: String
    let root: String

    /// - Parameter root: the destination's root elsewhere, which goes too.
    init(root: String? = nil) {
        var name = Array("/tmp/submit-file-XXXXXX".utf8CString)
        mkdtemp(&name)
        path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        self.root = root ?? path + "/root"
        mkdir(self.root, 0o755)
    }

    deinit {
        _ = shell("chmod -R u+rwX '\(path)'; rm -rf '\(path)' '\(root)'")
    }

    func submitter(
        _ values: [String: String] = [:], notes: any DestinationNotes = TransientNotes()
    ) throws(SubmitFailure) -> any Submitter {
        let settings = ["path": root].merging(values) { $1 }
        return try LocalFileSubmitter.submitterType().make(
            DestinationSettings(destination: "test", values: settings, notes: notes))
    }

    /// An original that can be submitted.
    func original(
        _ content: [UInt8], name: String = "IMG_1.jpg", captured: CaptureTime? = nil, hidesDescriptor: Bool = false
    ) throws -> (item: MediaItem, bytes: TestBytes) {
        let source = "\(path)/original-\(UInt64.random(in: 0...UInt64.max))"
        write(content, to: source)
        let bytes = try TestBytes(source, hidesDescriptor: hidesDescriptor)
        let item = MediaItem(
            source: FilePath(source), name: name, size: bytes.size,
            type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"),
            modified: Timestamp(nanoseconds: 1_234_567_890_123_456_789), captured: captured,
            digests: try Digests.reading([.sha256], of: bytes))
        return (item, bytes)
    }

    func write(_ content: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        defer { close(descriptor) }
        var written = 0
        while written < content.count {
            written += content.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written)
            }
        }
    }

    /// A stored file's bytes; `nil` if it is not there.
    func content(_ name: String) -> [UInt8]? {
        let descriptor = open("\(root)/\(name)", O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        fstat(descriptor, &status)
        var content = [UInt8](repeating: 0, count: Int(status.st_size))
        return read(descriptor, &content, content.count) == content.count ? content : nil
    }

    /// The mark by which a destination's folder is known again.
    static let mark = ".submit-folder"

    /// All names in a folder below the root, hidden ones too, but not the mark.
    func names(_ folder: String = "") -> Set<String> { Self.all("\(root)/\(folder)").subtracting([Self.mark]) }

    /// All names in a folder.
    static func all(_ folder: String) -> Set<String> {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.insert(name) }
        }
        return names
    }
}

@discardableResult
func shell(_ command: String) -> Bool { system(command) == 0 }

func context(
    _ submission: String = "s-\(UInt64.random(in: 0...UInt64.max))", album: String? = nil,
    onConflict: ConflictPolicy = .rename, attempt: Int = 1, sent: @escaping @Sendable (Int64) -> Void = { _ in }
) -> SubmissionContext {
    SubmissionContext(submission: submission, attempt: attempt, album: album, onConflict: onConflict, sent: sent)
}

/// A file's bytes, guarded as the contract wants it.
final class TestBytes: MediaBytes {
    static let changed = SubmitFailure(.giveUp, code: "source-changed", message: "The original changed.")

    let size: Int64
    let fileDescriptor: CInt?
    private let descriptor: CInt
    private let accepted: [Int]

    init(_ path: String, hidesDescriptor: Bool) throws {
        descriptor = open(path, O_RDONLY)
        fileDescriptor = hidesDescriptor ? nil : descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Errno(rawValue: errno) }
        size = Int64(status.st_size)
        accepted = Self.identity(status)
    }

    deinit { close(descriptor) }

    private static func identity(_ status: stat) -> [Int] {
        [status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_nsec]
    }

    func verifyUnchanged() throws(SubmitFailure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, Self.identity(status) == accepted else { throw Self.changed }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, Int(offset))
        if offset + Int64(count) >= size { try verifyUnchanged() }
        return count
    }
}
