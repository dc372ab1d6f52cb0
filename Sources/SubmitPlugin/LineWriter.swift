internal import Submit
internal import SubmitConcurrency
internal import SubmitPluginProtocol
internal import SystemPackage

/// Writes messages to a descriptor, one after the other, from any thread.
final class LineWriter: Sendable {
    private let output: Locked<FileDescriptor>

    init(_ output: FileDescriptor) {
        self.output = Locked(output)
    }

    /// Waits where the host does not read. What the host does not want any more is lost: the end of input tells so.
    func write(_ message: SubmitterMessage) {
        let line = message.line + [UInt8(ascii: "\n")]
        output.withLock { output in
            _ = try? output.writeAll(line)
        }
    }
}
