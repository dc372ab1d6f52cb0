internal import SubmitPlatform

/// Where a disk or share should be mounted that is not: a folder below would be on the system disk.
struct ExpectedMount {
    /// Folders below which people and desktops mount disks.
    private static let parents = ["/mnt", "/media", "/run/media", "/Volumes"]

    /// The mount points that there are: `/proc/self/mountinfo`, proc(5).
    let mounted: [String]
    /// Those that are configured: `/etc/fstab`, fstab(5).
    let configured: [String]

    /// Those of this computer.
    init() {
        self.init(
            mountInfo: MountText.read("/proc/self/mountinfo") ?? "", table: MountText.read("/etc/fstab") ?? "")
    }

    init(mountInfo: String, table: String) {
        mounted = Self.fields(4, of: mountInfo)
        configured = Self.fields(1, of: table).filter { $0.hasPrefix("/") && $0 != "/" }
    }

    /// - Parameter path: absolute. Neither the folder nor its parents need exist.
    /// - Returns: the folder at which a disk should be mounted; `nil` if the path looks right.
    func missing(for path: String) -> String? {
        if mounted.isEmpty { return nil }
        let paths = Set([path, Self.real(path)]).sorted()
        return paths.lazy.compactMap(missingPoint).first
    }

    private func missingPoint(_ path: String) -> String? {
        let disk = mounted.filter { Self.isBelow(path, $0) }.max { $0.utf8.count < $1.utf8.count } ?? "/"
        let planned = configured.filter { Self.isBelow(path, $0) }.max { $0.utf8.count < $1.utf8.count }
        if let planned, !Self.isBelow(disk, planned) { return planned }
        guard let parent = Self.parents.first(where: { Self.isBelow(path, $0) }), !Self.isBelow(disk, parent) else {
            return nil
        }
        let name = path.dropFirst(parent.utf8.count).split(separator: "/").first
        return name.map { "\(parent)/\($0)" } ?? parent
    }

    private static func isBelow(_ path: String, _ folder: String) -> Bool {
        path == folder || path.hasPrefix(folder == "/" ? folder : folder + "/")
    }

    /// Without links, as far as the path exists.
    private static func real(_ path: String) -> String {
        var (there, missing) = (path, "")
        while true {
            if let found = realpath(there, nil) {
                defer { free(found) }
                let real = String(cString: found)
                return (real == "/" ? "" : real) + missing
            }
            guard let parent = Folder.parentPath(there) else { return path }
            missing = there.dropFirst(parent == "/" ? 0 : parent.count) + missing
            there = parent
        }
    }

    private static func fields(_ index: Int, of text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split { $0 == " " || $0 == "\t" }
            guard fields.count > index, !fields[0].hasPrefix("#") else { return nil }
            return MountText.unescaped(fields[index])
        }
    }
}
