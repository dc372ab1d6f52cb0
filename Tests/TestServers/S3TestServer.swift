internal import Foundation

/// A server of S3's protocol whose buckets tests look into.
public protocol S3TestServer: Sendable {
    var endpoint: String { get }
    var accessKey: String { get }
    var secretKey: String { get }
}

extension S3TestServer {
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
