internal import SubmitPlatform
internal import SystemPackage

/// What operating systems and storage boxes keep beside people's files for themselves, by name: nobody misses it.
enum SystemFiles {
    // macOS, Windows, freedesktop.org's trash and thumbnails, ext4, Synology, QNAP.
    private static let names: Set<String> = [
        ".DS_Store", ".localized", ".apdisk", ".VolumeIcon.icns", ".Spotlight-V100", ".Trashes", ".Trash", ".fseventsd",
        ".TemporaryItems", ".DocumentRevisions-V100", ".AppleDouble", ".directory", ".thumbnails", ".@__thumb",
        "@eaDir",
        "Thumbs.db", "ehthumbs.db", "desktop.ini", "System Volume Information", "$RECYCLE.BIN", "RECYCLER",
        "lost+found",
    ]

    static func contains(_ path: FilePath) -> Bool {
        guard let name = path.lastComponent?.string else { return false }
        if names.contains(name) { return true }
        // The trash of one user on a disk of its own (freedesktop.org, Trash specification).
        if name.hasPrefix(".Trash-") { return name.dropFirst(7).allSatisfy(\.isNumber) }
        return name.hasPrefix("._") && isAppleDouble(path)
    }

    /// Whether it begins as macOS writes what a file has besides its bytes, on disks that have no place for it (RFC 1740).
    private static func isAppleDouble(_ path: FilePath) -> Bool {
        let descriptor = path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var head: UInt32 = 0
        return pread(descriptor, &head, 4, 0) == 4 && UInt32(bigEndian: head) == 0x0005_1607
    }
}
