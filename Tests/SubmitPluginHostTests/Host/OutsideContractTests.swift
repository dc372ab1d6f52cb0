import Foundation
import Submit
import SubmitTesting
import SystemPackage
import TestServers
import Testing

@testable import SubmitPluginHost

/// What holds of a submitter in this process holds of it in another.
@Suite struct OutsideContractTests {
    /// A folder in good order.
    private static let untried = Untried.faults.union([.secrets, .resuming])

    @Test(arguments: ContractSuite.cases)
    func `the contract holds through the pipe, with bytes by message`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(OutsideHarness(hasPaths: false), leavingOut: Self.untried)
    }

    /// The cancelled submission cancels itself when its bytes are asked for, and with a path nobody asks.
    @Test(arguments: ContractSuite.cases.filter { $0.id != "cancel-midway" })
    func `the contract holds through the pipe, with paths`(_ promise: ContractCase) async throws {
        try await promise.runInTurn(OutsideHarness(hasPaths: true), leavingOut: Self.untried)
    }
}

private struct OutsideHarness: ContractHarness {
    let hasPaths: Bool

    func makePlace() throws -> any ContractPlace { try OutsidePlace(hasPaths: hasPaths) }
}

/// A folder that `file` in another process stores to.
private final class OutsidePlace: ContractPlace {
    let checksDigests = true
    let secrets: [String] = []
    private let hasPaths: Bool
    private let outside: OutsideProgram
    private let folder = TemporaryFolder()
    private let root: String

    init(hasPaths: Bool) throws {
        self.hasPaths = hasPaths
        outside = try OutsideProgram("file")
        root = try folder.folder("root")
    }

    func makeSubmitter() async throws(SubmitFailure) -> any Submitter {
        let submitter = try await outside.submitter(["path": root])
        return hasPaths ? FromFiles(submitter: submitter) : submitter
    }

    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for path in try files() where !path.hasSuffix(".part") && path != ".submit-folder" {
            contents[path] = [UInt8](FileManager.default.contents(atPath: "\(root)/\(path)") ?? Data())
        }
        return contents
    }

    func leftovers() throws -> [String] { try files().filter { $0.hasSuffix(".part") } }

    private func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root).filter { path in
            var isFolder = ObjCBool(false)
            return FileManager.default.fileExists(atPath: "\(root)/\(path)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }

    func put(_ bytes: [UInt8], named name: String) throws { try folder.write(bytes, to: "root/\(name)") }

    func submitter(meeting fault: ContractFault) -> (any Submitter)? { nil }

    func remove() {}
}

/// Gives invented items a file, so that their path is told.
private struct FromFiles: Submitter {
    let submitter: any Submitter

    var capabilities: Capabilities { submitter.capabilities }
    var facets: Facets { submitter.facets }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        let file = InFile(bytes)
        var item = item
        item.source = file.path
        let receipt = try await submitter.submit(item, bytes: file, context: context)
        withExtendedLifetime(file) {}
        return receipt
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await submitter.discard(item, context: context)
    }

    func check() async throws(SubmitFailure) -> String { try await submitter.check() }
}

/// Bytes with a file that holds as many of them as can be read.
private final class InFile: MediaBytes {
    let size: Int64
    let fileDescriptor: CInt?
    let path: FilePath
    private let bytes: any MediaBytes
    private let folder = TemporaryFolder()

    init(_ bytes: any MediaBytes) {
        self.bytes = bytes
        size = bytes.size
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while let count = try? piece.withUnsafeMutableBytes({ try bytes.read(into: $0, at: Int64(content.count)) }),
            count > 0
        {
            content += piece[..<count]
        }
        // Of a source that changes, the last piece is refused, not missing.
        if content.isEmpty, bytes.size > 0, let scripted = bytes as? ScriptedBytes,
            (try? bytes.verifyUnchanged()) == nil
        {
            content = scripted.content
        }
        path = FilePath((try? folder.write(content, to: "source")) ?? "/nowhere")
        fileDescriptor = open(path.string, O_RDONLY | O_CLOEXEC)
    }

    deinit { if let fileDescriptor { close(fileDescriptor) } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        try bytes.read(into: buffer, at: offset)
    }

    func verifyUnchanged() throws(SubmitFailure) { try bytes.verifyUnchanged() }
}
