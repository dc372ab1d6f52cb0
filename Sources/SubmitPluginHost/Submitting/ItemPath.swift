internal import Glibc
internal import Submit
internal import SystemPackage

/// Where another process of this user can read an item's bytes.
enum ItemPath {
    /// The accepted file's own path as long as it leads to the bytes, and otherwise the open file's: it may have been
    /// moved, removed or replaced. `nil` where there is no file.
    static func path(of item: MediaItem, _ bytes: any MediaBytes) -> String? {
        guard let descriptor = bytes.fileDescriptor else { return nil }
        var open = stat()
        var named = stat()
        guard fstat(descriptor, &open) == 0 else { return nil }
        if let path = String(validating: item.source), item.source.withPlatformString({ stat($0, &named) }) == 0,
            named.st_dev == open.st_dev, named.st_ino == open.st_ino
        {
            return path
        }
        return "/proc/\(getpid())/fd/\(descriptor)"
    }
}
