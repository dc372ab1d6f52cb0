import Foundation
import Submit
import SystemPackage
import TestServers

@testable import SubmitPluginHost

/// The submitters of this house, as another program serves them.
final class OutsideProgram: Sendable {
    let folder = TemporaryFolder()
    let program: ExternalProgram

    /// Beside the test bundle, where the same build put it.
    private static let built = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("OutsideSubmitter").path

    init(_ type: String) throws {
        let path = folder.path("submit-to-outside-\(type)")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: Self.built)
        program = ExternalProgram(name: "outside-\(type)", path: FilePath(path))
    }

    func submitter(
        _ values: [String: String] = [:], _ surroundings: ProgramEnvironment = TestPrograms.surroundings()
    ) async throws(SubmitFailure) -> any Submitter {
        try await program.submitter(DestinationSettings(destination: "outside", values: values), surroundings)
    }
}
