internal import ArgumentParser

/// `submit destinations secret NAME`: what `submit secrets set NAME` does, where people look for it.
struct DestinationSecret: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: SecretAssignment.abstract, discussion: SecretAssignment.discussion)

    @OptionGroup var secrets: SecretAssignment

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws { try await secrets.run() }
}
