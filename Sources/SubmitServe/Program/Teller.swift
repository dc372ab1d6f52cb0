internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SystemPackage

/// Says what happens: in sentences, or with `--json` as one object a line.
final class Teller: Sendable {
    let isJSON: Bool
    private let output: FileDescriptor
    private let turn = Locked(())

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
            StandardError.line("submit: \(UnseenCharacters.escaped(sentence))")
        }
    }

    /// One line a request.
    func access(_ line: AccessLine) { StandardError.line("\(line)") }

    private func line(_ text: String) {
        turn.withLock { _ in _ = try? output.writeAll((text + "\n").utf8) }
    }

    var isTerminal: Bool { isatty(output.rawValue) == 1 }

    /// Columns of the terminal; `nil` where there is none.
    var columns: Int? {
        var size = winsize()
        guard ioctl(output.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
