internal import Foundation

/// The SHA-256 of files, by another program than ours.
public enum FolderDigests {
    /// Of every regular file in a folder and below, hidden ones too, by its path in that folder, which may be missing. The
    /// mark by which a destination's folder is known again is none of them.
    public static func of(_ folder: String) async throws -> [String: String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [:] }
        let text = try await ChildProcess.output(
            of: ["sh", "-c", "find . -type f ! -path ./.submit-folder -print0 | xargs -0 -r sha256sum --zero"],
            folder: folder)
        var digests: [String: String] = [:]
        for entry in text.split(separator: "\0") {
            digests[String(entry.dropFirst(68))] = String(entry.prefix(64))
        }
        return digests
    }
}
