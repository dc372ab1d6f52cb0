internal import Foundation

/// rclone's `serve s3` over a folder.
public final class RcloneS3Server: Sendable {
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

    /// Sends one request, signed by curl.
    ///
    /// - Parameters:
    ///   - path: percent-encoded, from the bucket on.
    ///   - body: of a PUT or POST.
    ///   - isChecked: throws where the answer is an error.
    /// - Returns: the answer's body.
    @discardableResult
    public func send(
        _ method: String, _ path: String, headers: [String] = [], body: [UInt8]? = nil, isChecked: Bool = true
    ) async throws -> String {
        let files = TemporaryFolder()
        var arguments = [
            "curl", "-sS", isChecked ? "--fail" : "--include", "--noproxy", "*", "--max-time", "60", "--path-as-is",
            "-X", method,
            "--aws-sigv4", "aws:amz:us-east-1:s3", "--user", "\(accessKey):\(secretKey)",
            "-H", "x-amz-content-sha256: UNSIGNED-PAYLOAD",
        ]
        for header in headers { arguments += ["-H", header] }
        if let body {
            try files.write(body, to: "body")
            arguments += ["--data-binary", "@" + files.path("body")]
        }
        return try await ChildProcess.output(of: arguments + ["\(endpoint)/\(path)"])
    }
}
