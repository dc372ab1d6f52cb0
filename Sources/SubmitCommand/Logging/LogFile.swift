internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SystemPackage

/// Where the log goes: a file that only its owner can read, or standard error.
final class LogFile: Sendable {
    private struct State {
        let descriptor: FileDescriptor
        /// That it cannot be written was told.
        var isTold = false
    }

    private let path: String?
    private let state: Locked<State>

    static let standardError = LogFile(nil, .standardError)

    private init(_ path: String?, _ descriptor: FileDescriptor) {
        self.path = path
        state = Locked(State(descriptor: descriptor))
    }

    /// Opens a file to append to; makes it where there is none.
    convenience init(_ path: String) throws(SubmitFailure) {
        do {
            // A pipe that nobody reads is no place for a log, and must not be waited for.
            let descriptor = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.append, .create, .closeOnExec, .nonBlocking],
                permissions: [.ownerReadWrite])
            _ = fcntl(descriptor.rawValue, F_SETFL, O_APPEND)
            self.init(path, descriptor)
        } catch {
            throw SubmitFailure(
                .giveUp, code: "log-unwritable",
                message: "The log cannot be written to “\(path)” (\(error)), and nothing was done: name another file.")
        }
    }

    var isOnTerminal: Bool { state.withLock { isatty($0.descriptor.rawValue) == 1 } }

    /// Writes a line, with one call so that those of several processes do not mix. Where that fails nothing else does.
    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let trouble = state.withLock { state -> Errno? in
            do {
                try state.descriptor.writeAll(bytes)
                return nil
            } catch {
                defer { state.isTold = true }
                return state.isTold ? nil : error as? Errno ?? .ioError
            }
        }
        guard let trouble, let path else { return }
        ErrorReport.warn(
            code: "log-unwritable", "The log “\(path)” cannot be written any more (\(trouble)): it has gaps.")
    }
}
