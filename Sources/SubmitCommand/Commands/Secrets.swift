internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SystemPackage

/// `submit secrets`: where secrets are kept; set some; seal and open the file.
struct Secrets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say where secrets are kept, set them, and seal them with a passphrase.",
        discussion: """
            A passphrase is typed on the terminal, or comes from \(Passphrase.variable) or the program that \
            “passphrase_command” in the configuration names.
            """,
        subcommands: [ShowSecrets.self, SetSecrets.self, SealSecrets.self, OpenSecrets.self], defaultSubcommand: ShowSecrets.self)
}

struct ShowSecrets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Say where secrets are kept, and whether they are sealed. Shows no secret.")

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    func run() async throws {
        let vault = try Session.catalog().vault
        let place = try vault.place
        let isSealed = try vault.file.isSealed
        if json {
            JSONLine.print([
                "place": place is Keyring ? Vault.Choice.service.rawValue : Vault.Choice.file.rawValue,
                "path": vault.file.path.string, "sealed": isSealed,
            ])
        } else {
            Output.line(Printable.line("Secrets are kept in \(place.title)."))
            if isSealed { Output.line(Printable.line("\(vault.file.path) is sealed with a passphrase.")) }
        }
    }
}

struct SealSecrets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal", abstract: "Seal the secrets file with a passphrase, or with another one.",
        discussion: """
            Every run that needs a secret of the file needs the passphrase then. It does not reach older copies of the \
            file, such as those in backups.
            """)

    @Flag(help: "Read the new passphrase from standard input, its first line.")
    var stdin = false

    func run() async throws {
        let vault = try Session.catalog().vault
        // The old one first.
        _ = try vault.file.all()
        let wasSealed = try vault.file.isSealed
        let passphrase: [UInt8]
        if stdin {
            passphrase = Array((readLine() ?? "").utf8)
        } else if wasSealed {
            // The environment's, and the program's, is the old one.
            passphrase = try vault.passphrase.type(for: vault.file.path)
        } else {
            passphrase = try vault.passphrase.choose(for: vault.file.path)
        }
        guard !passphrase.isEmpty else { throw SubmitFailure.usage("An empty passphrase seals nothing.") }
        try vault.file.seal(with: passphrase)
        Output.line(Printable.line("\(vault.file.path) is sealed."))
    }
}

struct OpenSecrets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Make a sealed secrets file readable without a passphrase again, for you alone.")

    func run() async throws {
        let vault = try Session.catalog().vault
        guard try vault.file.isSealed else {
            return Output.line(Printable.line("\(vault.file.path) is not sealed."))
        }
        try vault.file.open()
        Output.line(
            Printable.line("\(vault.file.path) is open: nobody but you can read it, and it needs no passphrase."))
    }
}
