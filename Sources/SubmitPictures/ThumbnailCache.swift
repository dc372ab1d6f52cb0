internal import CLinux
internal import Foundation
internal import SubmitConcurrency
public import SubmitPixels
internal import SubmitPlatform
public import SystemPackage

/// Small pictures of photos, for pages: made once, and kept in a folder for their owner alone, in so many bytes at the most. What
/// was not looked at for the longest time goes first. All of it can be made anew, and where nothing can be kept it is.
public final class ThumbnailCache: Sendable {
    /// What a thumbnail is written as.
    public enum Form: Sendable, CaseIterable {
        case jpeg, png
        /// A ``PixelMap``.
        case map

        fileprivate var filenameExtension: String {
            switch self {
            case .jpeg: "jpg"
            case .png: "png"
            case .map: "ppm"
            }
        }

        /// Whether it was written to its end.
        fileprivate func isWhole(_ bytes: [UInt8]) -> Bool {
            switch self {
            case .jpeg: bytes.starts(with: [0xff, 0xd8, 0xff]) && bytes.suffix(2) == [0xff, 0xd9]
            case .png: bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]) && bytes.suffix(8).starts(with: Array("IEND".utf8))
            case .map: PixelMap(bytes) != nil
            }
        }
    }

    private let folder: FilePath
    private let mostBytes: Int64
    private let renderer: any PixelRenderer
    /// Bytes that are in the folder as far as this process knows; `nil`: they are to be counted.
    private let held = Locked<Int64?>(nil)
    private let parts = Locked(0)

    /// What a thumbnail has at the most: what is larger is none.
    private static let longest = 2 << 20
    /// After so many seconds nobody writes at it any more.
    private static let longestWriting = 3600

    /// - Parameters:
    ///   - folder: where they are kept, made where it is not there; nothing else may be in it.
    ///   - mostBytes: how much they may take.
    ///   - renderer: makes them.
    public init(folder: FilePath, mostBytes: Int64 = 256 << 20, renderer: any PixelRenderer) {
        self.folder = folder
        self.mostBytes = mostBytes
        self.renderer = renderer
    }

    /// The whole photo, upright, that fits into a box, and is no larger than the photo. Blocks its thread where it
    /// has to be made.
    ///
    /// - Parameters:
    ///   - sha256: the digest of the photo in lower-case hexadecimal, by which its thumbnails are found again: whoever asks
    ///     vouches for it.
    ///   - box: pixels that it may have.
    ///   - form: what it is written as.
    ///   - mime: what the photo is, by its content.
    ///   - photo: open for reading; its position may change.
    ///   - orientation: how the photo is turned, if its decoder doesn't read that; see ``PixelJob/orientation``.
    ///   - isCancelled: asked several times a second; true ends it.
    /// - Throws: why none can be made.
    public func thumbnail(
        of sha256: String, in box: PixelBox, as form: Form = .jpeg, mime: String, from photo: CInt,
        orientation: Int = 1, isCancelled: () -> Bool = { false }
    ) throws(PixelFailure) -> [UInt8] {
        guard let name = Self.name(sha256, box, form) else {
            throw .trouble(.unsupported, "“\(sha256.prefix(64))” is no SHA-256 digest")
        }
        let directory = openFolder()
        defer { if let directory { close(directory) } }
        if let directory, let kept = Self.read(name, form, in: directory) { return kept }
        var job = PixelJob(mime: mime, recipe: PixelRecipe(), isMap: form == .map)
        job.recipe.box = box
        job.recipe.format = form == .jpeg ? .jpeg : .png
        job.recipe.quality = 80
        job.orientation = orientation
        let made = try make(job, form, photo, isCancelled)
        if let directory, write(made, to: name, in: directory) { count(made.count, in: directory) }
        return made
    }

    /// What is kept of a photo, which need not be there any more; `nil`: nothing.
    ///
    /// - Parameters:
    ///   - sha256: the digest of the photo in lower-case hexadecimal.
    ///   - box: pixels that it may have.
    ///   - form: what it is written as.
    public func kept(of sha256: String, in box: PixelBox, as form: Form = .jpeg) -> [UInt8]? {
        guard let name = Self.name(sha256, box, form), let directory = openFolder() else { return nil }
        defer { close(directory) }
        return Self.read(name, form, in: directory)
    }

    /// `nil` for what is no digest, and may be a path.
    private static func name(_ sha256: String, _ box: PixelBox, _ form: Form) -> String? {
        guard sha256.utf8.count == 64, sha256.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        return "\(sha256)-\(box).\(form.filenameExtension)"
    }

    private func make(
        _ job: PixelJob, _ form: Form, _ photo: CInt, _ isCancelled: () -> Bool
    ) throws(PixelFailure) -> [UInt8] {
        let output = submit_make_memory_file()
        guard output >= 0 else { throw .passing("no file in memory can be made (\(Errno(rawValue: errno)))") }
        defer { close(output) }
        _ = try renderer.render(job, from: photo, to: output, isCancelled: isCancelled)
        guard let made = Self.bytes(of: output, form) else {
            throw .trouble(.unsupported, "what was made of it is no \(form.filenameExtension.uppercased())")
        }
        return made
    }

    // MARK: The folder

    /// `nil` where it is not, or not for us alone.
    private func openFolder() -> CInt? {
        try? FileManager.default.createDirectory(
            atPath: folder.removingLastComponent().string, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        folder.withPlatformString { _ = mkdir($0, 0o700) }
        let directory = folder.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard directory >= 0 else { return nil }
        var status = stat()
        guard fstat(directory, &status) == 0, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0 || fchmod(directory, 0o700) == 0
        else {
            close(directory)
            return nil
        }
        return directory
    }

    private static func read(_ name: String, _ form: Form, in directory: CInt) -> [UInt8]? {
        let file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard let kept = bytes(of: file, form) else { return nil }
        markUsed(file)
        return kept
    }

    /// All of a thumbnail.
    private static func bytes(of file: CInt, _ form: Form) -> [UInt8]? {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size > 3, Int(status.st_size) <= longest else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = pread(file, &bytes, bytes.count, 0)
        return count == bytes.count && form.isWhole(bytes) ? bytes : nil
    }

    /// By its time it is known when a thumbnail was looked at: file systems that are mounted so note no reading.
    private static func markUsed(_ file: CInt) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        submit_set_modification_time(file, Int64(now.tv_sec), Int64(now.tv_nsec))
    }

    private func write(_ bytes: [UInt8], to name: String, in directory: CInt) -> Bool {
        let number = parts.withLock { number in
            number += 1
            return number
        }
        let part = "\(name).\(getpid())-\(number).part"
        let file = openat(directory, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count
        Self.markUsed(file)
        close(file)
        if isWritten, renameat(directory, part, directory, name) == 0 { return true }
        unlinkat(directory, part, 0)
        return false
    }

    // MARK: Room

    private func count(_ size: Int, in directory: CInt) {
        let isDue = held.withLock { held -> Bool in
            held = held.map { $0 + Int64(size) }
            return held.map { $0 > mostBytes } ?? true
        }
        guard isDue else { return }
        let left = tidy(directory)
        held.withLock { $0 = left }
    }

    /// Makes room for more than one, so that not each looks at all of them.
    ///
    /// - Returns: bytes that are left.
    private func tidy(_ directory: CInt) -> Int64 {
        var kept: [(name: String, used: Int64, size: Int64)] = []
        let now = Int64(time(nil))
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? [] {
            var status = stat()
            guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            let (seconds, nanoseconds) = (Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
            if Form.allCases.contains(where: { name.hasSuffix(".\($0.filenameExtension)") }) {
                kept.append((name, seconds * 1_000_000_000 + nanoseconds, Int64(status.st_size)))
            } else if name.hasSuffix(".part"), now - seconds > Int64(Self.longestWriting) {
                unlinkat(directory, name, 0)
            }
        }
        var total = kept.reduce(0) { $0 + $1.size }
        guard total > mostBytes else { return total }
        for oldest in kept.sorted(by: { $0.used < $1.used }) {
            if total <= mostBytes / 10 * 9 { break }
            unlinkat(directory, oldest.name, 0)
            total -= oldest.size
        }
        return total
    }
}
