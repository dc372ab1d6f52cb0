@preconcurrency internal import Dispatch
internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SystemPackage

/// Says what happens: in sentences, or with `--json` as one object a line. Whoever tells something never waits for whoever reads it:
/// a terminal that is stopped stops nobody who sends.
final class Teller: Sendable {
    let isJSON: Bool
    private let output: FileDescriptor
    private let queue = DispatchQueue(label: "submit.output")
    private let waiting = Locked(0)

    /// Lines of the log that may wait to be read; more are left out.
    private static let mostWaiting = 10_000

    init(isJSON: Bool, output: FileDescriptor = .standardOutput) {
        self.isJSON = isJSON
        self.output = output
    }

    /// A value of a JSON line.
    enum Value: Encodable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
        ExpressibleByStringInterpolation
    {
        case text(String)
        case number(Int64)
        case texts([String])

        init(stringLiteral value: String) { self = .text(value) }
        init(integerLiteral value: Int64) { self = .number(value) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .texts(let texts): try container.encode(texts)
            }
        }
    }

    /// - Parameters:
    ///   - event: the stage, for programs.
    ///   - sentence: for people; what of it is a stranger's may be anything.
    func tell(_ event: String, _ sentence: String, _ facts: [String: Value?] = [:]) {
        guard isJSON else { return line(UnseenCharacters.escaped(sentence)) }
        var object = facts.compactMapValues(\.self)
        object["event"] = .text(event)
        object["message"] = .text(sentence)
        line(String(decoding: JSONAnswer.bytes(object), as: UTF8.self))
    }

    /// Lines as they are: they hold nothing of a stranger's.
    func show(_ lines: [String]) {
        if !isJSON { line(lines.joined(separator: "\n")) }
    }

    func trouble(_ sentence: String, code: String) {
        if isJSON {
            tell("error", sentence, ["code": .text(code)])
        } else {
            write { StandardError.line("submit: \(UnseenCharacters.escaped(sentence))") }
        }
    }

    /// One line a request.
    func access(_ line: AccessLine) {
        if waiting.withLock({ $0 < Self.mostWaiting }) { write { StandardError.line("\(line)") } }
    }

    /// Returns when all that was told is written, or nobody reads it.
    func flush() {
        let written = DispatchSemaphore(value: 0)
        queue.async { written.signal() }
        _ = written.wait(timeout: .now() + .seconds(5))
    }

    private func line(_ text: String) {
        write { [output] in _ = try? output.writeAll((text + "\n").utf8) }
    }

    private func write(_ body: @escaping @Sendable () -> Void) {
        waiting.withLock { $0 += 1 }
        queue.async { [waiting] in
            body()
            waiting.withLock { $0 -= 1 }
        }
    }

    var isTerminal: Bool { isatty(output.rawValue) == 1 }

    /// The size of the terminal; `nil` if output goes elsewhere, or is JSON.
    var screen: (columns: Int, rows: Int)? {
        var size = winsize()
        guard !isJSON, isTerminal else { return nil }
        guard ioctl(output.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
        return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : 24)
    }
}
