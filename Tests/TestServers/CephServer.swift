/// Ceph's Object Gateway, which keeps everything in memory.
public final class CephServer: S3TestServer {
    public let endpoint: String
    public let accessKey: String
    public let secretKey: String
    private let script: ServerScript

    private static let running = Task { try await CephServer() }

    /// The one that tests share, each with buckets of its own. Nobody stops it.
    public static func shared() async throws -> CephServer { try await running.value }

    /// Starts one of one's own.
    public init() async throws {
        script = try ServerScript("ceph.sh")
        let values = try await script.start()
        endpoint = try values.value("ENDPOINT")
        accessKey = try values.value("ACCESS_KEY")
        secretKey = try values.value("SECRET_KEY")
    }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}
