import Foundation
import Submit
import SubmitTesting
import TestServers
import Testing

@testable import RcloneSubmitter

@Suite struct RcloneContractTests {
    @Test(arguments: ContractSuite.cases)
    func `the contract holds in a local folder`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(LocalHarness(), leavingOut: Untried.resuming + Untried.requests + ["that is full", "slow down"])
    }

    /// WebDAV by nginx tells no digest, and puts control characters into its XML as they are.
    @Test(arguments: ContractSuite.cases.filter { !$0.name.contains("control") && !$0.name.contains("odd names") })
    func `the contract holds where no digest is told`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(
            DAVHarness(),
            leavingOut: Untried.secrets + Untried.resuming + Untried.faults + ["differ from their digest"])
    }
}

private struct LocalHarness: ContractHarness {
    func makePlace() throws -> any ContractPlace { try RclonePlace() }
}

private struct DAVHarness: ContractHarness {
    func makePlace() async throws -> any ContractPlace { try await DAVPlace() }
}

/// A folder at nginx.
private struct DAVPlace: ContractPlace {
    let server: NginxDAVServer
    let name = "rclone-\(UUID().uuidString.lowercased())"
    let checksDigests = false
    let secrets: [String] = []

    init() async throws {
        server = try await DAVServer.anonymous()
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        chmod(root, 0o777)
    }

    private var root: String { "\(server.data)/\(name)" }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter {
        try RcloneSubmitter.submitterType().make(
            Settings(
                destination: "nas",
                values: ["remote": ":webdav,url='\(server.endpoint)':\(name)", "config": "/dev/null"]))
    }

    func contents() throws -> [String: [UInt8]] { try FolderContents.copies(below: root) }

    func leftovers() throws -> [String] { try FolderContents.temporaries(below: root) }

    func put(_ bytes: [UInt8], named name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(root)/\(name)"))
    }

    func submitter(meeting fault: ContractFault) -> (any Submitter)? { nil }

    func remove() { try? FileManager.default.removeItem(atPath: root) }
}
