import Foundation
import Submit
import SubmitTesting
import TestServers

@testable import GitAnnexSubmitter

/// A folder that a special remote stores in.
struct AnnexPlace: ContractPlace {
    let folder = TemporaryFolder()
    let root: String
    let checksDigests = true
    let secrets = ["s3cr3t-of-the-remote"]
    private let notes = TransientNotes()
    private let settings: [String: String]

    /// The example of the Python library annexremote: copies have their names.
    static func exporting(readback: String = "yes") async throws -> AnnexPlace {
        let program = try await AnnexDirectoryRemote.program()
        return try AnnexPlace { ["externaltype": program, "config": "directory='\($0)'", "readback": readback] }
    }

    /// The same without its exports: copies have keys.
    static func keyed() async throws -> AnnexPlace {
        let program = try await AnnexDirectoryRemote.program()
        return try AnnexPlace {
            ["externaltype": program, "config": "directory='\($0)'", "readback": "yes", "exporttree": "no"]
        }
    }

    init(_ settings: (String) -> [String: String]) throws {
        root = try folder.folder("root")
        self.settings = settings(root)
    }

    func submitter(_ values: [String: String] = [:]) throws(SubmitFailure) -> any Submitter {
        try GitAnnexSubmitter.submitterType().make(
            DestinationSettings(
                destination: "annex", values: settings.merging(values) { $1 }, secrets: ["password": secrets[0]],
                notes: notes))
    }

    func makeSubmitter() throws(SubmitFailure) -> any Submitter { try submitter() }

    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for path in try files() where !path.hasPrefix("tmp/") {
            contents[path] = FileManager.default.contents(atPath: "\(root)/\(path)").map { Array($0) }
        }
        return contents
    }

    func leftovers() throws -> [String] { try files().filter { $0.hasPrefix("tmp/") } }

    private func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root).filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }

    func put(_ bytes: [UInt8], named name: String) throws { try folder.write(bytes, to: "root/\(name)") }

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        guard fault == .unreachable else { return nil }
        let submitter = try submitter()
        // Set up once; then its disk is gone.
        _ = try await submitter.check()
        try FileManager.default.removeItem(atPath: root)
        return try self.submitter()
    }

    func remove() {}
}
