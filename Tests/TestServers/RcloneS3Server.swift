internal import Foundation

/// rclone's `serve s3` over a folder.
public final class RcloneS3Server: S3TestServer {
    public let endpoint: String
    public let accessKey: String
    public let secretKey: String
    /// Its buckets, as folders. What others write there it may not notice for minutes.
    public let data: String
    /// The program that it is.
    public let program: String
    private let script: ServerScript

    private static let running = Task { try await RcloneS3Server() }

    /// The one that tests share, each with buckets of its own. Nobody stops it.
    public static func shared() async throws -> RcloneS3Server { try await running.value }

    /// Starts one of one's own.
    public init() async throws {
        script = try ServerScript("rclone-s3.sh")
        let values = try await script.start()
        endpoint = try values.value("ENDPOINT")
        accessKey = try values.value("ACCESS_KEY")
        secretKey = try values.value("SECRET_KEY")
        data = try values.value("DATA")
        program = try values.value("PROGRAM")
    }

    public var port: Int { endpoint.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// Stops it; objects stay, their metadata and open uploads do not.
    public func stop() async throws { try await script.stop() }

    /// Starts it again, at the same address and with the objects it held.
    public func restart() async throws { _ = try await script.start() }

    /// Stops it and removes what it holds.
    public func remove() async { await script.remove() }
}
