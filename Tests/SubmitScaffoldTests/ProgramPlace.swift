import Foundation
import Submit
import SubmitPluginHost
import SubmitScaffold
import SubmitTesting
import SystemPackage
import TestServers

/// Makes places for a program that a template makes.
struct ProgramHarness: ContractHarness {
    let language: StandAloneProject.Language
    var tellsDigests = true

    func makePlace() throws -> any ContractPlace { try place() }

    func place() throws -> ProgramPlace {
        let folder = try ScaffoldFolder()
        let project = try StandAloneProject(SubmitterName("shelf"), in: language, at: folder.path, with: nil)
        let program = ExternalProgram(name: "shelf", path: FilePath(project.folder + "/submit-to-shelf"))
        try folder.write("s3cr3t-of-the-shelf", to: "place/token")
        if !tellsDigests { try folder.write("", to: "place/no-digests") }
        return ProgramPlace(folder: folder, program: program, checksDigests: tellsDigests)
    }
}

/// The folder that plays the service.
struct ProgramPlace: ContractPlace {
    let folder: ScaffoldFolder
    let program: ExternalProgram
    let checksDigests: Bool
    let readsFiles = true
    let secrets = ["s3cr3t-of-the-shelf"]

    var root: String { folder.path + "/place" }

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
        case .misconfigured: return try await submitter(root + "/token")
        case .full: return try await submitter(with: "full")
        case .throttled: return try await submitter(with: "busy")
        case .losesReply: return try await submitter(with: "loses-reply")
        }
    }

    func remove() {}

    private func submitter(with fault: String) async throws -> any Submitter {
        try folder.write("", to: "place/\(fault)")
        return try await submitter(root)
    }

    func endFault() {
        for fault in ["full", "busy", "loses-reply"] { unlink("\(root)/\(fault)") }
    }

    private func submitter(_ place: String, token: String? = nil) async throws(SubmitFailure) -> any Submitter {
        try await program.submitter(
            DestinationSettings(
                destination: "test", values: ["folder": place], secrets: ["token": token ?? secrets[0]]),
            ProgramEnvironment(host: "tests", environment: ProcessInfo.processInfo.environment))
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
