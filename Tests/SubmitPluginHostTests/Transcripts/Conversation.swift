import Dispatch
import Submit
import SubmitConcurrency
import SubmitPlugin
import SystemPackage

/// A type that is served over two pipes, seen from the host's side.
///
/// Its host must not stand on a thread of Swift's own, as submitters may block all of them until it answers: see
/// ``host(_:)``.
final class Conversation: Sendable {
    private let input: FileDescriptor
    private let output: FileDescriptor
    /// The service's end of the input; open as long as this is, so that a host that speaks on gets no signal.
    private let toRead: FileDescriptor
    private let service: Task<HostConnection.Ending, Never>
    private let heard = Locked<[UInt8]>([])

    init(_ type: SubmitterType, patience: Int = 4000) throws {
        let (toRead, input) = try FileDescriptor.pipe()
        let (output, toWrite) = try FileDescriptor.pipe()
        self.input = input
        self.toRead = toRead
        self.output = output
        let service = HostConnection(type, silenceSeconds: 60, writing: toWrite)
        self.service = Task {
            let ending = await service.run(reading: toRead, patience: patience)
            // What hangs may yet write: its descriptor must not become another's.
            if ending != .hanging { try? toWrite.close() }
            return ending
        }
    }

    deinit {
        try? output.close()
        try? toRead.close()
    }

    /// Runs the host's side on a thread of its own.
    func host<Value: Sendable>(_ body: @escaping @Sendable (Conversation) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "host").async {
                continuation.resume(with: Result { try body(self) })
            }
        }
    }

    func say(_ line: String) throws {
        try input.writeAll(Array("\(line)\n".utf8))
    }

    /// Waits for the submitter's next line; `nil` when there is no more.
    func next() -> String? {
        var rest = heard.withLock { $0 }
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let later = Array(rest[(end + 1)...])
                heard.withLock { $0 = later }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var block = [UInt8](repeating: 0, count: 65536)
            let count = block.withUnsafeMutableBytes { (try? output.read(into: $0)) ?? 0 }
            if count == 0 { return nil }
            rest += block[..<count]
        }
    }

    /// Waits for the submitter's next line, as JSON.
    func nextJSON() throws -> JSONText {
        guard let line = next(), let json = JSONText(line) else { throw Silence() }
        return json
    }

    /// The submitter said nothing where it should have.
    struct Silence: Error {}

    /// Closes the input.
    func end() async -> HostConnection.Ending {
        try? input.close()
        return await service.value
    }
}
