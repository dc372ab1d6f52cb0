internal import Glibc

/// A file without a name, in memory: a disk would be written to some thousand times a second.
enum FuzzedFile {
    static let descriptor: CInt = {
        for folder in ["/dev/shm", "/tmp"] {
            var template = Array("\(folder)/submit-fuzz-XXXXXX".utf8CString)
            let file = mkstemp(&template)
            guard file >= 0 else { continue }
            unlink(template)
            return file
        }
        return -1
    }()

    /// - Returns: whether these bytes, and no others, stand in it now.
    static func hold(_ bytes: [UInt8]) -> Bool {
        descriptor >= 0 && ftruncate(descriptor, 0) == 0 && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    }
}
