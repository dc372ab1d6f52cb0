import Foundation
import SystemPackage
import Testing

@testable import Submit

/// Whoever can write a file that is obeyed, or put another in its place, is us.
@Suite struct `A file that is obeyed` {
    private let folder = FilePath("/tmp/submit-trust-\(UUID().uuidString)")

    private func file(mode: mode_t = 0o644, folderMode: mode_t = 0o755, _ name: String = "file") throws -> FilePath {
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
        let path = folder.appending(name)
        try Data("text".utf8).write(to: URL(filePath: path.string))
        chmod(path.string, mode)
        chmod(folder.string, folderMode)
        return path
    }

    private func complaint(_ path: FilePath, user: uid_t = geteuid()) throws -> String? {
        let file = try FileDescriptor.open(path, .readOnly)
        defer { try? file.close() }
        let complaint = FileTrust.complaint(about: path, opened: file, user: user)
        #expect(FileTrust.complaint(about: path, opened: nil, user: user) == complaint)
        return complaint
    }

    @Test(arguments: [(0o644, 0o755), (0o600, 0o700), (0o444, 0o555)] as [(mode_t, mode_t)])
    func `is for its owner to write, and its folder too`(_ mode: mode_t, _ folderMode: mode_t) throws {
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        #expect(try complaint(file(mode: mode, folderMode: folderMode)) == nil)
    }

    @Test(arguments: [(0o664, 0o755), (0o646, 0o755), (0o644, 0o775), (0o644, 0o757)] as [(mode_t, mode_t)])
    func `may not be written or replaced by others`(_ mode: mode_t, _ folderMode: mode_t) throws {
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        let text = try #require(try complaint(file(mode: mode, folderMode: folderMode)))
        #expect(text.hasPrefix(mode == 0o644 ? "its folder can be" : "it can be") && text.contains("`chmod go-w`"))
    }

    @Test func `behind a link lies in a folder that is as safe`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        let target = try file(folderMode: 0o757)
        let own = FilePath("/tmp/submit-trust-link-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            atPath: own.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: own.string) }
        let link = own.appending("link")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: target.string)
        #expect(try complaint(link)?.hasPrefix("the folder “\(folder)”, which it leads to, can be written") == true)
    }

    /// What root writes holds for its users; what a user writes does not hold for root, nor for another.
    @Test(.enabled(if: geteuid() == 0, "chown(2) is for root"))
    func `is its user's or root's`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        let path = try file()
        #expect(try complaint(path, user: 1000) == nil)
        chown(path.string, 1000, 1000)
        chown(folder.string, 1000, 1000)
        #expect(try complaint(path, user: 1000) == nil)
        for other: uid_t in [0, 1001] {
            let text = try #require(try complaint(path, user: other))
            #expect(text.hasPrefix("it belongs to another user; `chown` it"))
        }
        chown(path.string, 0, 0)
        #expect(try complaint(path, user: 0)?.hasPrefix("its folder belongs to another user") == true)
    }
}

/// ssh(1) decides the same.
@Suite struct `A private key's file` {
    @Test(arguments: [
        (0o600, 0, nil), (0o400, 0, nil), (0o640, 0, "it"), (0o604, 0, "it"), (0o640, 1, nil), (0o644, 1, "it"),
    ])
    func `is used if nobody else can read it`(_ mode: mode_t, _ others: uid_t, _ words: String?) throws {
        let path = FilePath("/tmp/submit-key-\(UUID().uuidString)")
        defer { unlink(path.string) }
        try Data("key".utf8).write(to: URL(filePath: path.string))
        chmod(path.string, mode)
        let file = try FileDescriptor.open(path, .readOnly)
        defer { try? file.close() }
        let complaint = FileTrust.complaint(aboutKey: file, user: geteuid() + others)
        #expect((complaint == nil) == (words == nil), "\(complaint ?? "none")")
    }
}
