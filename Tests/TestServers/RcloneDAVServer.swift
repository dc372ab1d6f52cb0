/// rclone's “serve webdav” over a folder: it makes folders that are there, heeds no condition, and keeps no properties.
public final class RcloneDAVServer: Sendable {
    /// The collection, with a slash at the end.
    public let endpoint: String
    public let user: String
    public let password: String
    /// Where the collection lies.
    public let data: String
    private let script: ServerScript
    private let options: [String]

    /// - Parameter cachesListings: what others do in ``data`` it does not see for five minutes, as is its default.
    public init(cachesListings: Bool = false) async throws {
        script = try ServerScript("rclone-dav.sh")
        options = cachesListings ? ["--listing-cache"] : []
        let values = try await script.start(options)
        endpoint = try values.value("ENDPOINT")
        data = try values.value("DATA")
        user = try values.value("USERNAME")
        password = try values.value("PASSWORD")
    }

    /// Stops it, with whatever it is doing; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start(options) }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}
