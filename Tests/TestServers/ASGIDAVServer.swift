/// ASGIWebDAV, whose HEAD says of each file that it has 0 bytes.
public final class ASGIDAVServer: Sendable {
    /// The collection, with a slash at the end.
    public let endpoint: String
    public let user: String
    public let password: String
    /// Where the collection lies.
    public let data: String
    private let script: ServerScript

    public init() async throws {
        script = try ServerScript("asgi-dav.sh")
        let values = try await script.start()
        endpoint = try values.value("ENDPOINT")
        data = try values.value("DATA")
        user = try values.value("USERNAME")
        password = try values.value("PASSWORD")
    }

    /// Stops it, with whatever it is doing; what it holds stays.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with what it held.
    public func restart() async throws { _ = try await script.start() }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}
