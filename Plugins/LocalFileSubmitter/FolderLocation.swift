internal import CLinux
internal import SubmitPlatform
internal import SystemPackage

/// Where a folder lies, in ways that outlast a reboot and another mount.
///
/// Told by the kernel (proc_pid_mountinfo(5), statfs(2), statx(2)) and by udev's `/dev/disk/by-uuid`, as far as there is
/// any of it: numbers of devices are given to others.
struct FolderLocation {
    /// Two folders that share one of these are the same place. None may be known.
    let traits: Set<String>
    /// The disk or share, for sentences.
    let source: String

    /// - Parameter missing: the path of a folder that is not there, below the open one.
    init(of descriptor: CInt, missing: String = "") {
        var traits: Set<String> = []
        var source = "a file system that is not known"
        if let mount = Mount(of: descriptor) {
            let path = mount.path == "/" ? "/" + missing.drop { $0 == "/" } : mount.path + missing
            source = "\(mount.source) (\(mount.type))"
            if let uuid = mount.deviceUUID { traits.insert("uuid \(uuid) \(path)") }
            let identity = submit_file_system_identity(descriptor)
            if identity != 0 { traits.insert("fsid \(mount.type) \(String(identity, radix: 16)) \(path)") }
            if mount.isShare { traits.insert("share \(mount.type) \(mount.source) \(path)") }
        }
        var status = stat()
        var (seconds, nanoseconds): (Int64, UInt32) = (0, 0)
        if missing.isEmpty, fstat(descriptor, &status) == 0, submit_birth_time(descriptor, &seconds, &nanoseconds) == 0
        {
            traits.insert("folder \(status.st_ino) \(seconds).\(nanoseconds)")
        }
        self.traits = traits
        self.source = source
    }

    /// Where a folder would lie that is not there: below the nearest one that is.
    init?(ofMissing path: String) {
        var (there, missing) = (path, "")
        while let parent = Folder.parentPath(there) {
            missing = there.dropFirst(parent == "/" ? 0 : parent.count) + missing
            there = parent
            let descriptor = open(there, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            self.init(of: descriptor, missing: missing)
            return
        }
        return nil
    }
}

/// The mount below an open folder.
private struct Mount {
    let type: String
    let source: String
    /// Of the folder, as its own file system calls it: the same wherever that or a part of it is mounted.
    let path: String

    init?(of descriptor: CInt) {
        guard let information = MountText.read("/proc/self/fdinfo/\(descriptor)"),
            let id = information.split(separator: "\n").first(where: { $0.hasPrefix("mnt_id:") })?.split(
                separator: "\t"
            ).last,
            let mounts = MountText.read("/proc/self/mountinfo"),
            let line = mounts.split(separator: "\n").first(where: { $0.hasPrefix("\(id) ") })
        else { return nil }
        let fields = line.split(separator: " ", omittingEmptySubsequences: false).map(MountText.unescaped)
        guard let dash = fields.firstIndex(of: "-"), fields.count > dash + 2 else { return nil }
        type = fields[dash + 1]
        source = fields[dash + 2]
        var link = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &link, link.count)
        let (root, point) = (fields[3], fields[4])
        let here = String(decoding: link.prefix(max(0, count)), as: UTF8.self)
        guard here.hasPrefix(point) else { return nil }
        let parts = [root, String(here.dropFirst(point.count))].flatMap { $0.split(separator: "/") }
        path = "/" + parts.joined(separator: "/")
    }

    /// By which a server calls what it shares: `server:/folder`, `//server/share`.
    var isShare: Bool { !source.hasPrefix("/dev/") && (source.contains(":") || source.hasPrefix("//")) }

    /// That of the file system on the disk, as udev found it there.
    var deviceUUID: String? {
        var device = stat()
        guard stat(source, &device) == 0, device.st_mode & S_IFMT == S_IFBLK,
            let folder = opendir("/dev/disk/by-uuid")
        else { return nil }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            if stat("/dev/disk/by-uuid/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFBLK,
                status.st_rdev == device.st_rdev
            {
                return name
            }
        }
        return nil
    }
}
