/// Apache with mod_dav_svn and SVNAutoversioning, which answers a range with the whole file.
public final class SubversionDAVServer: Sendable {
    /// The collection, with a slash at the end.
    public let endpoint: String
    public let user: String
    public let password: String
    /// Where the repository lies, whose files are not on the disk as they are.
    public let repository: String
    private let script: ServerScript

    public init() async throws {
        script = try ServerScript("svn-dav.sh")
        let values = try await script.start()
        endpoint = try values.value("ENDPOINT")
        repository = try values.value("REPOSITORY")
        user = try values.value("USERNAME")
        password = try values.value("PASSWORD")
    }

    /// Writes the files of a folder in the collection, as they are now, to the disk.
    ///
    /// - Returns: whether there is such a folder.
    public func export(_ folder: String, to path: String) async throws -> Bool {
        let listed = try await ChildProcess.output(of: ["svnlook", "tree", "--full-paths", repository], within: 60)
        guard listed.split(separator: "\n").contains("\(folder)/") else { return false }
        _ = try await ChildProcess.output(
            of: ["svn", "export", "-q", "--force", "file://\(repository)/\(folder)", path], within: 60)
        return true
    }

    /// Stops it, with whatever it is doing; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start() }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}
