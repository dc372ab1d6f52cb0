internal import ArgumentParser

/// `submit completions SHELL`
struct Completions: ParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print the completion script for bash, zsh or fish.",
        discussion: "For bash: submit completions bash > ~/.local/share/bash-completion/completions/submit")

    @Argument(help: "The shell: bash, zsh or fish.", completion: Completed.shell)
    var shell: String

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if CompletionShell(rawValue: shell) == nil {
            throw ValidationError("There are completions for bash, zsh and fish, not for “\(shell)”.")
        }
    }

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell) else { return }
        let script = SubmitCommand.completionScript(for: shell)
        Output.record(shell == .bash ? Self.sendingByDefault(script) : script)
    }

    /// Without a verb it sends: what follows then is completed as that of `submit send`.
    private static func sendingByDefault(_ script: String) -> String {
        let verbs = SubmitCommand.configuration.subcommands.map { $0._commandName } + ["help"]
        let patterns = [
            "--to", "destinations", "audit", "repair", "login", "logout", "whoami", "pause", "limit", "cancel", "retry",
        ].map { "*' \($0) '*" }.joined(separator: " | ")
        let function = """
            _submit_or_send() {
                case ' \(verbs.joined(separator: " ")) ' in
                *" ${COMP_WORDS[1]} "*) ;;
                *)
                    if ((COMP_CWORD > 1)) || [[ ${2} == -* ]]; then
                        COMP_LINE="${COMP_WORDS[0]} send${COMP_LINE#"${COMP_WORDS[0]}"}"
                        COMP_POINT=$((COMP_POINT + 5))
                        COMP_WORDS=("${COMP_WORDS[0]}" send "${COMP_WORDS[@]:1}")
                        COMP_CWORD=$((COMP_CWORD + 1))
                    fi
                    ;;
                esac
                _submit "${@}"
                # Else bash adds a slash to a destination if a folder has its name.
                case " ${COMP_WORDS[COMP_CWORD - 1]} ${COMP_WORDS[1]} " in
                \(patterns))
                    [[ "${COMP_WORDS[COMP_CWORD]}" == */* ]] || compopt +o filenames 2>/dev/null
                    ;;
                esac
            }

            """
        return script.replacing(
            "complete -o filenames -F _submit submit",
            with: function + "complete -o filenames -F _submit_or_send submit")
    }
}
