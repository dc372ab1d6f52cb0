internal import ArgumentParser

/// `submit version`: the same as `submit --version`.
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the version.", shouldDisplay: false)

    func run() { Output.line(SubmitCommand.built) }
}
