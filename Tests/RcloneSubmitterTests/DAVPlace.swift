import Foundation
import Submit
import SubmitTesting
import TestServers

@testable import RcloneSubmitter

/// A folder at nginx.
struct DAVPlace: ProxiedPlace {
    /// PUT and MOVE.
    static let requests = [3, 11]

    let server: NginxDAVServer
    let proxy: FaultyProxy
    let name = "rclone-\(UUID().uuidString.lowercased())"
    let checksDigests = false
    let secrets: [String] = []

    init() async throws {
        server = try await DAVServer.anonymous()
        proxy = FaultyProxy(to: server.port)
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        chmod(root, 0o777)
    }

    private var root: String { "\(server.data)/\(name)" }

    func submitter(at origin: String) throws(SubmitFailure) -> any Submitter {
        try RcloneSubmitter.submitterType().make(
            DestinationSettings(
                destination: "nas", values: ["remote": ":webdav,url='\(origin)/dav/':\(name)", "config": "/dev/null"]))
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try submitter(at: "http://127.0.0.1:\(server.port)") }

    func contents() throws -> [String: [UInt8]] { try FolderContents.copies(below: root) }

    func leftovers() throws -> [String] { try FolderContents.temporaries(below: root) }

    func put(_ bytes: [UInt8], named name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(root)/\(name)"))
    }

    func remove() { try? FileManager.default.removeItem(atPath: root) }
}
