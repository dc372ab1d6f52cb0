internal import SubmitPlatform
package import SystemPackage

/// What operating systems and storage boxes keep beside people's files for themselves, by name: nobody misses it.
package enum SystemFiles {
    // macOS, Windows, desktops, thumbnails; freedesktop.org's trash.
    private static let files: Set<String> = [
        ".DS_Store", ".localized", ".apdisk", ".VolumeIcon.icns", ".directory", "Thumbs.db", "ehthumbs.db",
        "desktop.ini",
    ]
    // macOS, Windows, Synology, QNAP.
    private static let folders: Set<String> = [
        ".Spotlight-V100", ".Trashes", ".Trash", ".fseventsd", ".TemporaryItems", ".DocumentRevisions-V100",
        ".AppleDouble", ".thumbnails", ".@__thumb", "@eaDir", "System Volume Information", "$RECYCLE.BIN",
    ]

    package static func contains(_ path: FilePath) -> Bool {
        guard let name = path.lastComponent?.string else { return false }
        if areOurs(path) { return true }
        if files.contains(name) { return !isFolder(path) }
        if folders.contains(name) { return isFolder(path) }
        // What fsck(8) saved may be photos: it is looked at where that is allowed.
        if name == "lost+found" { return path.withPlatformString { access($0, R_OK) } != 0 }
        // The trash of one user on a disk of its own (freedesktop.org, Trash specification).
        if name.hasPrefix(".Trash-") { return name.dropFirst(7).allSatisfy(\.isNumber) && isFolder(path) }
        return name.hasPrefix("._") && isAppleDouble(path)
    }

    /// Whether submit keeps a file in a folder that it copies to: the folder's mark, or a copy that is not whole.
    static func areOurs(_ path: FilePath) -> Bool {
        guard let name = path.lastComponent?.string, name.hasPrefix(".submit-") else { return false }
        return name == ".submit-folder" || name.hasSuffix(".part") || name.hasSuffix(".try")
    }

    private static func isFolder(_ path: FilePath) -> Bool { (try? FileStatus.of(path))?.isFolder ?? false }

    /// Whether it begins as macOS writes what a file has besides its bytes, on disks that have no place for it (RFC 1740).
    private static func isAppleDouble(_ path: FilePath) -> Bool {
        let descriptor = path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var head: UInt32 = 0
        return pread(descriptor, &head, 4, 0) == 4 && UInt32(bigEndian: head) == 0x0005_1607
    }
}
