import Foundation
import Submit
import SubmitPluginHost
import SubmitScaffold
import SubmitTesting
import SystemPackage
import TestServers
import Testing

/// The programs that the templates make, held to the contract through the pipe.
@Suite struct ProgramContractTests {
    @Test(arguments: ContractSuite.cases)
    func `the contract holds in Python`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(ProgramHarness(language: .python))
    }

    @Test(arguments: ContractSuite.cases)
    func `the contract holds in sh`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(ProgramHarness(language: .sh))
    }
}

private struct ProgramHarness: ContractHarness {
    let language: StandAloneProject.Language

    func makePlace() throws -> any ContractPlace {
        let folder = try ScaffoldFolder()
        let project = try StandAloneProject(SubmitterName("shelf"), in: language, at: folder.path, with: nil)
        let program = ExternalProgram(name: "shelf", path: FilePath(project.folder + "/submit-to-shelf"))
        try folder.write("s3cr3t-of-the-shelf", to: "place/token")
        return ProgramPlace(folder: folder, program: program)
    }
}

private struct ProgramPlace: ContractPlace {
    let folder: ScaffoldFolder
    let program: ExternalProgram
    let checksDigests = true
    let readsFiles = true
    let secrets = ["s3cr3t-of-the-shelf"]

    private var root: String { folder.path + "/place" }

    func makeSubmitter() async throws(SubmitFailure) -> any Submitter { try await submitter(root) }

    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for path in try files("copies") {
            contents[path] = Array(try Data(contentsOf: URL(fileURLWithPath: "\(root)/copies/\(path)")))
        }
        return contents
    }

    func leftovers() throws -> [String] { try files("uploads") }

    func put(_ bytes: [UInt8], named name: String) throws {
        try FileManager.default.createDirectory(atPath: root + "/copies", withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(root)/copies/\(name)"))
    }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        switch fault {
        case .unreachable: return try await submitter(root + "/missing")
        case .refusesCredentials: return try await submitter(root, token: "an-0ld-one")
        case .full:
            try folder.write("", to: "place/full")
            return try await submitter(root)
        default: return nil
        }
    }

    func remove() {}

    private func submitter(_ place: String, token: String? = nil) async throws(SubmitFailure) -> any Submitter {
        try await program.submitter(
            Settings(destination: "test", values: ["folder": place], secrets: ["token": token ?? secrets[0]]),
            ProgramSurroundings(host: "tests", environment: ProcessInfo.processInfo.environment))
    }

    private func files(_ below: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: "\(root)/\(below)") else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(below)").filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\(below)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}
