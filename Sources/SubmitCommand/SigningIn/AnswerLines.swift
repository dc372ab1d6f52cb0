internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform

/// Lines that come on a terminal or a pipe while something else goes on.
final class AnswerLines: Sendable {
    private let isOver = Locked(false)

    /// - Parameters:
    ///   - file: where they come from.
    ///   - line: is given each line that is not empty.
    ///   - end: is called when there are no more.
    init(
        from file: CInt, line: @escaping @Sendable (String) -> Void, end: @escaping @Sendable () -> Void
    ) {
        let isOver = isOver
        Thread.detachNewThread {
            var bytes: [UInt8] = []
            while !isOver.withLock({ $0 }) {
                // Not read for good: what is typed later may be meant for the shell.
                var state = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
                let ready = poll(&state, 1, 100)
                if ready == 0 || (ready < 0 && errno == EINTR) { continue }
                var byte: UInt8 = 0
                guard ready > 0, read(file, &byte, 1) == 1 else { break }
                if byte != 0x0a {
                    if bytes.count < 16 << 10 { bytes.append(byte) }
                    continue
                }
                let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                bytes = []
                if !text.isEmpty { line(text) }
            }
            let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            if !text.isEmpty { line(text) }
            end()
        }
    }

    func stop() { isOver.withLock { $0 = true } }
}
