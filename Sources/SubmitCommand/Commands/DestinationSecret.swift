internal import ArgumentParser

/// `submit destinations secret NAME`: what `submit secrets set NAME` does, where people look for it.
struct DestinationSecret: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "Set secrets of a destination, such as its new password.",
        discussion: SetSecrets.configuration.discussion)

    @OptionGroup var secrets: SetSecrets

    var log: LogOptions { secrets.log }

    func run() async throws { try await secrets.run() }
}
