import Submit
import SubmitDigest
import SubmitPlatform
import SystemPackage

/// Photos of 10 kB in files, as a camera writes them: with the EXIF of a sample, and bytes that are no other's.
struct SampleFiles {
    static let size = 10_000

    private let head: [UInt8]

    /// - Throws: what the system says where the sample cannot be read.
    init() throws {
        let sample = FilePath(#filePath).removingLastComponent().removingLastComponent()
            .appending("Media").appending("harbour.jpg")
        let file = try FileDescriptor.open(sample, .readOnly)
        defer { try? file.close() }
        let bytes = try WholeFile.bytes(of: file) ?? []
        head = Array(bytes.prefix(Self.endOfHead(bytes)))
    }

    /// Where the first scan begins: all before it is segments (ITU-T T.81, annex B).
    private static func endOfHead(_ bytes: [UInt8]) -> Int {
        var at = 2
        while at + 4 < bytes.count {
            let end = at + 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
            if bytes[at + 1] == 0xDA { return end }
            at = end
        }
        return 0
    }

    /// Makes so many in a new folder, and names them in order.
    ///
    /// - Throws: what the system says where one cannot be written.
    func make(_ count: Int, in folder: FilePath, seed: UInt64) throws -> [FilePath] {
        guard mkdir(folder.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        var state = seed
        return try (0..<count).map { index in
            var content = head
            while content.count < Self.size {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                // No marker stands in a scan.
                withUnsafeBytes(of: state) { bytes in content += bytes.map { $0 == 0xFF ? 0xFE : $0 } }
            }
            content.removeLast(content.count - Self.size)
            let path = folder.appending("IMG_\(10_000 + index).jpg")
            let file = try FileDescriptor.open(path, .writeOnly, options: [.create], permissions: .ownerReadWrite)
            _ = try file.closeAfter { try file.writeAll(content) }
            return path
        }
    }
}

/// The bytes of a file, as the engine hands them out.
final class SampleBytes: MediaBytes {
    let size = Int64(SampleFiles.size)
    let path: FilePath
    private let file: FileDescriptor

    var fileDescriptor: CInt? { file.rawValue }

    /// - Throws: what the system says where it cannot be opened.
    init(_ path: FilePath) throws {
        self.path = path
        file = try FileDescriptor.open(path, .readOnly)
    }

    deinit { try? file.close() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        do {
            return try file.read(fromAbsoluteOffset: offset, into: buffer)
        } catch {
            throw SubmitFailure(.giveUp, code: "sample", message: "\(path): \(error).")
        }
    }

    func verifyUnchanged() throws(SubmitFailure) {}
}

extension MediaItem {
    /// What the acceptance finds out of a sample.
    static func sample(_ path: FilePath, digests: Digests) -> MediaItem {
        MediaItem(
            source: path, name: path.lastComponent?.string ?? "", size: Int64(SampleFiles.size),
            type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"),
            modified: Timestamp(nanoseconds: 1_700_000_000_123_456_789),
            captured: CaptureTime(year: 2024, month: 5, day: 17, hour: 18, minute: 42, second: 7, offset: 7200),
            digests: digests)
    }
}
