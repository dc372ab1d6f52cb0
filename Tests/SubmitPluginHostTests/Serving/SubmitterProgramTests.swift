import Foundation
import Testing

/// `SubmitterProgram.serve` in a process of its own.
@Suite(.timeLimit(.minutes(10))) struct SubmitterProgramTests {
    /// What the program says to these lines, and how it ends.
    private func run(_ input: String) async throws -> (output: String, errors: String, status: Int32) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "submit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appending(path: "submit-to-outside-memory")
        let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "OutsideSubmitter")
        try FileManager.default.createSymbolicLink(at: program, withDestinationURL: built)

        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", "printf '%s' \"$1\" | \"$0\" 2>\"$2\"", program.path(), input, "\(folder.path())/errors",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = await withCheckedContinuation { continuation in
            DispatchQueue(label: "output").async {
                let said = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(returning: String(decoding: said, as: UTF8.self))
            }
        }
        let errors = try String(contentsOf: folder.appending(path: "errors"), encoding: .utf8)
        return (said, errors, process.terminationStatus)
    }

    @Test func `a program ends with its input`() async throws {
        let end = try await run(
            "{\"message\":\"hello\",\"id\":1,\"versions\":[1],\"host\":\"test\"}\n{\"message\":\"che")
        #expect(JSONText(end.output)?["version"]?.number == 1)
        #expect(end.errors == "")
        #expect(end.status == 0)
    }

    @Test func `a line that cannot be read ends a program with status 65 and without repeating it`() async throws {
        let end = try await run("{\"message\":\"s3cr3t\",\"id\":\"s3cr3t\"}\n")
        #expect(end.output == "")
        #expect(
            end.errors
                == "The submitter “outside-memory” cannot read a line of the program that started it: “id” has the wrong type.\n"
        )
        #expect(end.status == 65)
    }
}
