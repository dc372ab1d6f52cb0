internal import Foundation
internal import Glibc
internal import Submit
internal import SystemPackage
internal import Yams

/// Secrets by destination and key, in a file that only its owner can read.
struct SecretsFile: Sendable {
    private let path: FilePath
    private var secrets: [String: [String: String]] = [:]

    /// - Throws: when others may read the file, or it is not a mapping of mappings. The file's text is never shown.
    init(_ path: FilePath) throws(SubmitFailure) {
        self.path = path
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return }
        guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw SubmitFailure(
                .giveUp, code: "secrets", "\(path) can be read by others: run `chmod 600 \(path)` and see that you own it.")
        }
        guard let text = try? String(contentsOfFile: path.string, encoding: .utf8),
            let read = try? YAMLDecoder().decode([String: [String: String]]?.self, from: text)
        else {
            throw SubmitFailure(
                .giveUp, code: "secrets",
                "\(path) is not a list of destinations with “key: value” lines below each: correct it or remove it.")
        }
        secrets = read
    }

    subscript(destination: String) -> [String: String] {
        get { secrets[destination] ?? [:] }
        set { secrets[destination] = newValue.isEmpty ? nil : newValue }
    }

    /// Writes the file anew, whole or not at all.
    func write() throws(SubmitFailure) {
        do {
            let text = secrets.isEmpty ? "{}\n" : try YAMLEncoder().encode(secrets)
            try PrivateFile.write(text, to: path)
        } catch {
            throw SubmitFailure(.giveUp, code: "secrets", "\(path) cannot be written: check that you own its folder.")
        }
    }
}

extension SecretsFile: CustomStringConvertible, CustomReflectable {
    var description: String { "secrets in \(path)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Files that only their owner can read.
enum PrivateFile {
    /// Replaces a file, whole or not at all.
    static func write(_ text: String, to path: FilePath) throws {
        // Who keeps configuration elsewhere and links to it keeps the link.
        let path = realpath(path.string, nil).map { real in
            defer { free(real) }
            return FilePath(String(cString: real))
        } ?? path
        let folder = path.removingLastComponent()
        try FileManager.default.createDirectory(
            atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let temporary = folder.appending(".\(path.lastComponent?.string ?? "").\(getpid())")
        unlink(temporary.string)
        let file = try FileDescriptor.open(
            temporary, .writeOnly, options: [.create, .exclusiveCreate], permissions: [.ownerReadWrite])
        do {
            try file.closeAfter {
                _ = try file.writeAll(text.utf8)
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
            guard rename(temporary.string, path.string) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            unlink(temporary.string)
            throw error
        }
    }
}
