internal import Submit
internal import SubmitPrograms
internal import SystemPackage

/// A program of the user's that prints a secret, such as `pass show photos`.
///
/// It runs without a shell, on our terminal so that it can ask for what opens its store, and with what it needs of the
/// environment. What it prints on its standard output is shown nowhere.
struct SecretProgram: Sendable {
    private let call: TerminalCall

    /// - Parameter life: how long it may take; a person may have to type something meanwhile.
    /// - Returns: `nil` for text that cannot be split into words, as a shell does it.
    init?(_ text: String, environment: InheritedEnvironment, life: Duration = .seconds(120)) {
        guard let words = ShellWords.split(text), !words.isEmpty else { return nil }
        call = TerminalCall(
            words[0], Array(words.dropFirst()), environment: environment.given(to: words[0]),
            longestOutput: 64 << 10, life: life)
    }

    /// Runs it, and returns the first line of what it prints.
    ///
    /// - Parameter key: the name of the setting it stands for, such as “password_command of “shop””.
    /// - Throws: when it cannot be run, fails or prints nothing. What it printed is not shown.
    func firstLine(for key: String) throws(SubmitFailure) -> String {
        let end: ProgramResult
        do throws(ProgramFailure) {
            end = try call.end()
        } catch {
            throw failure(key, "cannot be run: “\(call.program)”\(error.error.map { " (\($0))" } ?? "")")
        }
        switch end.status {
        case .late,
            _ where end.isCut:
            throw failure(key, "printed too much or took longer than \(call.life)")
        case .exited(0): break
        case .exited(let status): throw failure(key, "ended with \(status)")
        case .killed(let signal): throw failure(key, "was ended by the signal \(signal)")
        }
        let line = end.output.prefix { $0 != 0x0a && $0 != 0x0d }
        guard !line.isEmpty, let text = String(validating: line, as: UTF8.self) else {
            throw failure(key, "printed no secret on its first line")
        }
        KnownSecrets.add(text, isConfigured: true)
        return text
    }

    private func failure(_ key: String, _ what: String) -> SubmitFailure {
        SubmitFailure(
            .hold(.misconfigured, after: nil), code: "secret-command",
            message: "The program of \(key) \(what): try it in a terminal.")
    }
}
