import Foundation
import TestServers

/// `submit` at a pseudo-terminal, and somebody who types when it asks.
final class Conversation {
    private let child: ChildProcess
    private let keyboard: CInt
    private let screen: String
    /// How much of what was shown is answered.
    private var seen = 0

    init(
        _ submit: Submit, _ arguments: String..., env: [String: String] = [:], unsetting: [String] = [],
        columns: Int = 200, rows: Int = 24
    ) throws {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw ChildProcess.Failure.cannotStart("pipe", errno: errno) }
        keyboard = ends[1]
        _ = fcntl(keyboard, F_SETFD, FD_CLOEXEC)
        screen = submit.folder.path("screen-\(UUID().uuidString)")
        let command = ([Submit.program] + arguments).map { "'\($0)'" }.joined(separator: " ")
        child = try ChildProcess(
            ["script", "-qec", "stty -echo cols \(columns) rows \(rows); \(command)", "/dev/null"],
            environment: submit.environment.merging(env) { $1 }.filter { !unsetting.contains($0.key) }, output: screen,
            errors: screen,
            inputDescriptor: ends[0])
        close(ends[0])
    }

    deinit { close(keyboard) }

    /// All that was shown.
    var text: String { (try? String(contentsOfFile: screen, encoding: .utf8)) ?? "" }

    /// Waits for a question that was not answered yet, and types.
    func type(_ answer: String, to question: String) async throws {
        // Who asks for what is hidden throws away what was typed before: nothing may follow the question.
        let deadline = ContinuousClock.now + .seconds(30)
        while !(text.dropFirst(seen).contains(question) && isAsking) {
            guard child.isRunning, ContinuousClock.now < deadline else {
                throw NotAsked(question: question, text: text)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        seen = text.count
        let line = Array("\(answer)\n".utf8)
        _ = line.withUnsafeBytes { write(keyboard, $0.baseAddress, $0.count) }
    }

    private struct NotAsked: Error {
        let question: String
        let text: String
    }

    /// Nothing follows what was shown last: it waits.
    private var isAsking: Bool { [":", "]", "?"].contains { text.trimmingCharacters(in: .whitespaces).hasSuffix($0) } }

    func end() async -> ChildProcess.End { await child.end() }
}
