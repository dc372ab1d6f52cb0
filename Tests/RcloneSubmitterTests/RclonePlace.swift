import Foundation
import Submit
import SubmitTesting
import TestServers

@testable import RcloneSubmitter

/// A folder that rclone reaches as a remote of its own configuration.
struct RclonePlace: ContractPlace {
    let folder = TemporaryFolder()
    let root: String
    let checksDigests = true
    let secrets = ["s3cr3t-of-th1s-rem0te"]
    private let port: UInt16

    init() throws {
        root = try folder.folder("root")
        try folder.write("[shelf]\ntype = alias\nremote = \(root)\n", to: "rclone.conf")
        port = try ClosedPort.number()
    }

    func submitter(_ values: [String: String] = [:]) throws(SubmitFailure) -> any Submitter {
        let settings = ["remote": "shelf:", "config": folder.path("rclone.conf"), "jobs": "4"]
        return try RcloneSubmitter.submitterType().make(
            DestinationSettings(
                destination: "shelf", values: settings.merging(values) { $1 }, secrets: ["config_pass": secrets[0]]))
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try submitter() }

    func contents() throws -> [String: [UInt8]] { try FolderContents.copies(below: root) }

    func leftovers() throws -> [String] { try FolderContents.temporaries(below: root) }

    func put(_ bytes: [UInt8], named name: String) throws { try folder.write(bytes, to: "root/\(name)") }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        switch fault {
        case .unreachable:
            return try submitter(["remote": ":webdav,url='http://127.0.0.1:\(port)/':"])
        case .refusesCredentials:
            return try submitter(["remote": ":webdav,url='\(try await DAVServer.locked().endpoint)',user=nobody:"])
        case .misconfigured: return try submitter(["remote": "nobody:photos"])
        case .losesReply:
            let lost = folder.path("lost")
            try folder.write(
                """
                #!/bin/sh
                rclone "$@" || exit
                case "$*" in *moveto*) [ -e '\(lost)' ] || { touch '\(lost)'; echo 'connection reset' >&2; exit 1; } ;; esac
                """, to: "losing")
            chmod(folder.path("losing"), 0o755)
            return try submitter(["program": folder.path("losing")])
        case .full, .throttled: return nil
        }
    }

    func remove() {}
}

/// What lies in a folder, seen without rclone.
enum FolderContents {
    static func copies(below root: String) throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for path in try files(below: root) where !path.hasSuffix(".part") {
            contents[path] = FileManager.default.contents(atPath: "\(root)/\(path)").map { Array($0) }
        }
        return contents
    }

    static func temporaries(below root: String) throws -> [String] {
        try files(below: root).filter { $0.hasSuffix(".part") }
    }

    static func files(below root: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root).filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}

/// A port that nobody listens at.
enum ClosedPort {
    static func number() throws -> UInt16 {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length)
                getsockname(descriptor, $0, &length)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// nginx, once for all tests: with a password, and without.
enum DAVServer {
    private static let behindPassword = Task { try await NginxDAVServer() }
    private static let open = Task { try await NginxDAVServer(isAnonymous: true) }

    static func locked() async throws -> NginxDAVServer { try await behindPassword.value }
    static func anonymous() async throws -> NginxDAVServer { try await open.value }
}
