internal import SubmitPlatform
internal import SystemPackage

/// The text of the system's tables of mounts.
enum MountText {
    /// A file as text. Those of `/proc` have no size.
    static func read(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) else { return nil }
        defer { try? file.close() }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while let count = try? piece.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
            text += piece.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A field in which spaces, tabs, line ends and backslashes are written as `\` and three octal digits.
    static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
