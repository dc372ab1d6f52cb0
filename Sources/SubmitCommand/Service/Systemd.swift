internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitPrograms
internal import SystemPackage

/// systemd's own programs, for the services of one user.
enum Systemd {
    /// A manager of this user's services answers.
    static var isThere: Bool {
        get async { await call("systemctl", ["--user", "show-environment"]) == .exited(0) }
    }

    /// - Throws: where there is none.
    static func check() async throws(SubmitFailure) {
        if await !isThere {
            throw .usage(
                "This computer runs no services for users (systemd), so submit has none here. `submit watch` watches folders "
                    + "without a service.")
        }
    }

    static func isInstalled(_ unit: String) -> Bool {
        let places = AppPaths()
        let folder = ServiceUnit.folder(places.environment, home: places.home)
        return FileManager.default.fileExists(atPath: folder.appending(unit).string)
    }

    /// - Throws: where it fails.
    static func run(_ arguments: [String]) async throws(SubmitFailure) {
        guard await call("systemctl", ["--user"] + arguments) == .exited(0) else {
            throw .usage("`systemctl --user \(arguments.joined(separator: " "))` failed: run it to see why.")
        }
    }

    /// Prints what a program of it says; its exit status says nothing.
    static func show(_ program: String, _ arguments: [String]) async throws(SubmitFailure) {
        let status = await call(program, arguments) { bytes in
            Output.raw(String(decoding: bytes, as: UTF8.self))
            Output.flush()
        }
        if status == nil { throw .usage("`\(program)` cannot be run: check that systemd is installed whole.") }
    }

    /// Ends units and removes what they are written in.
    ///
    /// - Returns: how many there were.
    @discardableResult
    static func remove(_ units: [String], in folder: FilePath) async throws(SubmitFailure) -> Int {
        var count = 0
        for unit in units where FileManager.default.fileExists(atPath: folder.appending(unit).string) {
            _ = await call("systemctl", ["--user", "disable", "--now", unit])
            do {
                try FileManager.default.removeItem(atPath: folder.appending(unit).string)
            } catch {
                throw .usage("“\(folder.appending(unit))” cannot be removed: check its permissions.")
            }
            count += 1
        }
        return count
    }

    /// - Returns: `nil` where it cannot be run.
    private static func call(
        _ program: String, _ arguments: [String], output: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil
    ) async -> ProgramResult.Ending? {
        // It finds the user's manager by the environment.
        let call = ProgramCall(program, arguments, environment: [:], inheritsEnvironment: true)
        return try? await call.end(output: output).status
    }
}
