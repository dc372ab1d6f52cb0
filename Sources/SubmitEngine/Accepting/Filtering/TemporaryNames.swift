internal import SubmitPlatform
public import SystemPackage

/// Names that programs give to what is not whole yet, and take away when it is: browsers, programs that transfer files, editors.
public enum TemporaryNames {
    /// As the rules of a filter.
    public static let rules = IgnoreRules(
        lines: [
            "*.[pP][aA][rR][tT]", "*.partial", "*.filepart", "*.crdownload", "*.download", "*.opdownload", "*.tmp",
            "*.TMP",
            "*.temp", "*.aria2", "*.bc!", "*.!ut", "*.!qB", "*.dwnl", "*.swp", "*~", "~$*", ".~*", "~*.tmp",
            // Syncthing, GLib, NFS, FUSE, rsync, rclone.
            ".syncthing.*", "~syncthing~*", ".goutputstream-*", ".nfs*", ".fuse_hidden*", ".*.??????", ".rclone*",
        ])

    /// Whether a file is called as what is not whole is.
    public static func contains(_ path: FilePath) -> Bool {
        guard let name = path.lastComponent else { return false }
        let bytes = name.withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        return rules.verdict(bytes, isFolder: false) == .leftOut
    }
}
