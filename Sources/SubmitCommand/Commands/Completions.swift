internal import ArgumentParser

/// `submit completions SHELL`
struct Completions: ParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print the completion script for bash, zsh or fish.",
        discussion: "For bash: submit completions bash > ~/.local/share/bash-completion/completions/submit")

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: String

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if CompletionShell(rawValue: shell) == nil {
            throw ValidationError("There are completions for bash, zsh and fish, not for “\(shell)”.")
        }
    }

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell) else { return }
        print(SubmitCommand.completionScript(for: shell))
    }
}
