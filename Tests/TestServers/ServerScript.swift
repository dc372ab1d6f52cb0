internal import Foundation

/// A script of `Tests/Servers` that starts a server on a directory, and again on the same.
struct ServerScript: Sendable {
    let name: String
    let folder: String
    private let cleanup: Cleanup

    /// The clone these sources lie in.
    static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    static func path(_ name: String) -> String { "\(repository)/Tests/Servers/\(name)" }

    init(_ name: String) throws {
        self.name = name
        // Not in a `TemporaryFolder`: it has to be there until the server is stopped.
        folder = "/tmp/submit-server-\(UUID().uuidString.lowercased())"
        cleanup = try Cleanup(["/bin/sh", "-c", "\"$0\" stop \"$1\"; rm -rf \"$1\"", Self.path(name), folder])
    }

    /// - Returns: what the script's `env` file says.
    /// - Throws: what the script printed.
    func start(_ options: [String] = []) async throws -> [String: String] {
        // The first start of all may have to fetch and build.
        try await ChildProcess.output(of: [Self.path(name), "start", folder] + options, within: 400)
        var values: [String: String] = [:]
        for line in try String(contentsOfFile: folder + "/env", encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
        return values
    }

    /// Stops the server and keeps what it holds.
    func stop() async throws {
        try await ChildProcess.output(of: [Self.path(name), "stop", folder])
    }

    /// What it was asked for, where it keeps a log of that.
    func accessLog() throws -> [LoggedRequest] { try LoggedRequest.all(in: folder + "/access.log") }

    /// Stops the server and removes what it holds.
    func remove() async {
        await cleanup.run()
    }

    /// What both scripts that start a Swift can be told.
    static func swiftOptions(maximumFileSize: Int?, tokenLife: Int?) -> [String] {
        (maximumFileSize.map { ["--max-file-size", "\($0)"] } ?? [])
            + (tokenLife.map { ["--token-life", "\($0)"] } ?? [])
    }
}

extension [String: String] {
    /// What a script says under this name.
    func value(_ name: String) throws -> String {
        guard let value = self[name] else { throw CocoaError(.keyValueValidation, userInfo: ["missing": name]) }
        return value
    }
}
