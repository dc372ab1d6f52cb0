import Foundation
import Submit
import SubmitHTTP
import SubmitTesting
import TestServers

@testable import RcloneSubmitter

/// A bucket at `rclone serve s3`, which that same rclone reaches: it is years newer than Debian's.
struct BucketPlace: ProxiedPlace {
    /// PutObject and CopyObject.
    static let requests = [2, 9]

    let server: RcloneS3Server
    let proxy: FaultyProxy
    let name = "rclone-\(UUID().uuidString.lowercased())"
    let checksDigests = true
    private let folder = TemporaryFolder()

    var secrets: [String] { [server.secretKey] }

    init() async throws {
        server = try await RcloneS3Server.shared()
        proxy = FaultyProxy(to: server.port)
        try await server.send("PUT", name)
        for (file, origin) in [("direct", server.endpoint), ("proxied", proxy.endpoint)] {
            try folder.write(
                """
                [sink]
                type = s3
                provider = Rclone
                endpoint = \(origin)
                access_key_id = \(server.accessKey)
                secret_access_key = \(server.secretKey)

                """, to: file)
            chmod(folder.path(file), 0o600)
        }
    }

    private var root: String { "\(server.data)/\(name)" }

    func submitter(at origin: String) throws(SubmitFailure) -> any Submitter {
        let file = origin == proxy.endpoint ? "proxied" : "direct"
        return try RcloneSubmitter.submitterType().make(
            DestinationSettings(
                destination: "sink",
                values: ["remote": "sink:\(name)", "config": folder.path(file), "program": server.program]))
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try submitter(at: server.endpoint) }

    func contents() throws -> [String: [UInt8]] { try FolderContents.copies(below: root) }

    func leftovers() throws -> [String] { try FolderContents.temporaries(below: root) }

    func put(_ bytes: [UInt8], named name: String) async throws {
        try await server.send("PUT", "\(self.name)/\(PercentEncoding.encodePath(name))", body: bytes)
    }

    func remove() { try? FileManager.default.removeItem(atPath: root) }
}
