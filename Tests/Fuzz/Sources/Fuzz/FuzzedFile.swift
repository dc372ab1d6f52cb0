internal import Glibc

/// A file without a name.
enum FuzzedFile {
    static let descriptor: CInt = {
        var template = Array("/tmp/submit-fuzz-XXXXXX\0".utf8CString)
        let file = mkstemp(&template)
        unlink(template)
        return file
    }()

    /// - Returns: whether these bytes, and no others, stand in it now.
    static func hold(_ bytes: [UInt8]) -> Bool {
        descriptor >= 0 && ftruncate(descriptor, 0) == 0 && pwrite(descriptor, bytes, bytes.count, 0) == bytes.count
    }
}
