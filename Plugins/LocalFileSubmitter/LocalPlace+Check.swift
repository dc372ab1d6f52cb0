internal import Submit
internal import SubmitPlatform
internal import SystemPackage

extension LocalPlace {
    /// Finds out whether files can be stored, and leaves nothing.
    func check() async throws(SubmitFailure) -> String {
        do throws(SubmitFailure) {
            return try await inFolder([]) { [self] (folder) throws(SubmitFailure) in
                guard let folder else { throw .file(.noSuchFileOrDirectory, root) }
                try SubmitFailure.at(root) { () throws(Errno) in
                    _ = try TemporaryFile(
                        in: folder, submission: "check-\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
                }
                return "The folder “\(root)” can be written to; \(freeSpace(root)) are free."
            }
        } catch {
            guard error.code == "no-folder", creates, access(root, F_OK) != 0, errno == ENOENT else { throw error }
            return try checkCreation()
        }
    }

    private func checkCreation() throws(SubmitFailure) -> String {
        var ancestor = root
        while let parent = Folder.parentPath(ancestor) {
            ancestor = parent
            if access(ancestor, F_OK) == 0 { break }
        }
        guard access(ancestor, W_OK | X_OK) == 0 else { throw .file(Errno(rawValue: errno), ancestor) }
        return "The folder “\(root)” is not there yet and can be made; \(freeSpace(ancestor)) are free."
    }

    private func freeSpace(_ path: String) -> String {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { return "an unknown number of bytes" }
        // Some file systems make these numbers up.
        let (bytes, isTooMany) = information.f_bavail.multipliedReportingOverflow(by: information.f_frsize)
        return isTooMany ? "an unknown number of bytes" : ByteCount.text(Int64(clamping: bytes))
    }
}
