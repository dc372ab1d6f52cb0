internal import Foundation
internal import Submit
internal import SubmitConcurrency

/// A command that is run when this value is let go of, or when the test process ends, in whatever way it does.
///
/// A shell waits for the end of a line whose other end is ours.
final class Cleanup: Sendable {
    private let line: Locked<CInt?>
    private let shell: ChildProcess

    init(_ command: [String]) throws {
        var ends: [CInt] = [-1, -1]
        // A pair of sockets can be closed to children from the beginning; a pipe cannot without pipe2(2).
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw ChildProcess.Failure.cannotStart("a pair of sockets", errno: errno)
        }
        defer { close(ends[0]) }
        line = Locked(ends[1])
        do {
            shell = try ChildProcess(
                ["/bin/sh", "-c", "read -r _; \"$@\"", "cleanup"] + command, inputDescriptor: ends[0],
                hasOwnSession: true)
        } catch {
            close(ends[1])
            throw error
        }
    }

    deinit { letGo() }

    private func letGo() {
        line.withLock { line in
            if let descriptor = line { close(descriptor) }
            line = nil
        }
    }

    /// Runs the command now and waits for it.
    func run() async {
        letGo()
        _ = await shell.end(within: 30)
    }
}
