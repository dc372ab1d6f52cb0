import AcmeSubmitter
import Foundation
import Submit
import SubmitTesting
import Testing

@Suite struct AcmeContractTests {
    /// What is lacking, so that the promises about it cannot be tried: any other that is not tried fails. Add what Acme
    /// does not have, such as `.albums` or `.resuming`, and the faults that AcmePlace cannot make, such as `.fault(.full)`.
    private static let untried: Set<ContractRequirement> = [.readback, .singleRequests]

    @Test(arguments: ContractSuite.cases)
    func `the contract holds on Acme`(_ promise: ContractCase) async throws {
        try await promise.run(AcmeHarness(), leavingOut: Self.untried)
    }

    // With the real Acme: away with it.
    @Test(arguments: ContractSuite.cases)
    func `the contract holds where Acme tells no digests`(_ promise: ContractCase) async throws {
        try await promise.run(AcmeHarness(tellsDigests: false), leavingOut: Self.untried.union([.digests]))
    }
}

/// Makes fresh places. With the real Acme: an account or a folder for tests, empty each time.
private struct AcmeHarness: ContractHarness {
    var tellsDigests = true

    func makePlace() throws -> any ContractPlace {
        let folder = FileManager.default.temporaryDirectory.path + "/acme-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try Data("s3cr3t".utf8).write(to: URL(fileURLWithPath: folder + "/token"))
        if !tellsDigests { try Data().write(to: URL(fileURLWithPath: folder + "/no-digests")) }
        return AcmePlace(folder: folder, checksDigests: tellsDigests)
    }
}

/// One place, seen by other means than the submitter.
private struct AcmePlace: ContractPlace {
    let folder: String
    let checksDigests: Bool
    let secrets = ["s3cr3t"]
    /// Of `AcmeService`.
    let partSize: Int64? = 256 << 10

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try submitter(folder) }

    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for path in try files("copies") {
            contents[path] = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/copies/\(path)")))
        }
        return contents
    }

    func leftovers() throws -> [String] { try files("uploads") }

    func put(_ bytes: [UInt8], named name: String) throws {
        try FileManager.default.createDirectory(atPath: folder + "/copies", withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/copies/\(name)"))
    }

    func submitter(meeting fault: ContractFault) throws -> (any Submitter)? {
        switch fault {
        case .unreachable: return try submitter(folder + "/missing")
        case .refusesCredentials: return try submitter(folder, token: "0ld")
        case .misconfigured: return try submitter(folder + "/token")
        case .full: return try submitter(with: "full")
        case .throttled: return try submitter(with: "busy")
        case .losesReply: return try submitter(with: "loses-reply")
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private func submitter(with fault: String) throws -> any Submitter {
        try Data().write(to: URL(fileURLWithPath: "\(folder)/\(fault)"))
        return try submitter(folder)
    }

    private func submitter(_ folder: String, token: String = "s3cr3t") throws(SubmitFailure) -> any Submitter {
        try AcmeSubmitter.submitterType().make(
            DestinationSettings(destination: "test", values: ["folder": folder], secrets: ["token": token]))
    }

    /// All files in a folder of the place, at any depth.
    private func files(_ below: String) throws -> [String] {
        let root = "\(folder)/\(below)"
        guard FileManager.default.fileExists(atPath: root) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: root).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}
