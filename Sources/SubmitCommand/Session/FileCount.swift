internal import Foundation
internal import SystemPackage

/// Counts names and looks at nothing else, so that it is a small part of the walk that comes after.
enum FileCount {
    static func files(below folder: FilePath, atMost most: Int) -> Int {
        var folders = [folder]
        var count = 0
        while let folder = folders.popLast(), count < most {
            guard let stream = folder.withPlatformString({ opendir($0) }) else { continue }
            defer { closedir(stream) }
            while count < most, let entry = readdir(stream) {
                // The name is as long as its record says.
                let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
                let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
                if strcmp(name, ".") == 0 || strcmp(name, "..") == 0 { continue }
                guard let component = FilePath.Component(platformString: name) else { continue }
                let path = folder.appending(component)
                if isFolder(path, entry.pointee.d_type) { folders.append(path) } else { count += 1 }
            }
        }
        return count
    }

    /// Not all file systems say so beside the name (readdir(3)).
    private static func isFolder(_ path: FilePath, _ type: UInt8) -> Bool {
        if type != UInt8(DT_UNKNOWN) { return type == UInt8(DT_DIR) }
        var status = stat()
        return path.withPlatformString { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
