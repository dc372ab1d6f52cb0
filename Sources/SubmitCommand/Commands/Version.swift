internal import ArgumentParser

/// `submit version`: the same as `submit --version`.
struct Version: ParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

    @OptionGroup(title: "Log") var log: LogOptions

    func run() { Output.line(ProgramVersion.text) }
}
