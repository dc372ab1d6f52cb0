internal import Foundation
internal import SystemPackage

/// What is mounted where: `/proc/self/mountinfo`, proc(5).
struct MountTable {
    struct MountedDisk {
        let path: FilePath
        /// Such as `ext4`.
        let type: String
        /// Such as `/dev/sdb1` or `nas:/photos`.
        let source: String
    }

    let mounts: [MountedDisk]

    init(_ text: String? = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) {
        mounts = (text ?? "").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            // Behind optional fields and a hyphen stand the type and the source.
            guard fields.count > 4, let hyphen = fields.firstIndex(of: "-"), fields.count > hyphen + 1 else {
                return nil
            }
            return MountedDisk(
                path: FilePath(Self.unescaped(fields[4])), type: String(fields[hyphen + 1]),
                source: fields.count > hyphen + 2 ? Self.unescaped(fields[hyphen + 2]) : "")
        }
    }

    /// Blanks, tabs, line ends and backslashes stand there as three octal digits.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
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
