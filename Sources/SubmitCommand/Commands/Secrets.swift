internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SystemPackage

/// `submit secrets`: where secrets are kept; set some; encrypt and decrypt the file.
struct Secrets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets", abstract: "Say where secrets are kept, set them, and encrypt them with a passphrase.",
        discussion: """
            A passphrase is typed on the terminal, or comes from \(Passphrase.variable) or the program that \
            “passphrase_command” in the configuration names.
            """,
        subcommands: [ShowSecrets.self, SetSecrets.self, EncryptSecrets.self, DecryptSecrets.self],
        defaultSubcommand: ShowSecrets.self)
}

struct ShowSecrets: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Say where secrets are kept, and whether they are encrypted. Shows no secret.")

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let credentials = try Session.catalog().credentials
        let place = try credentials.place
        let isEncrypted = try credentials.file.isEncrypted
        if json {
            JSONOutput.print([
                "place": place is Keyring
                    ? CredentialStore.Choice.service.rawValue : CredentialStore.Choice.file.rawValue,
                "path": credentials.file.path.string, "encrypted": isEncrypted,
            ])
        } else {
            Output.line(Printable.line("Secrets are kept in \(place.title)."))
            if isEncrypted { Output.line(Printable.line("\(credentials.file.path) is encrypted with a passphrase.")) }
        }
    }
}

struct EncryptSecrets: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "encrypt", abstract: "Encrypt the secrets file with a passphrase, or with another one.",
        discussion: """
            Every run that needs a secret of the file needs the passphrase then. It does not reach older copies of the \
            file, such as those in backups.
            """)

    @Flag(help: "Read the new passphrase from standard input, its first line.")
    var stdin = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let credentials = try Session.catalog().credentials
        // The old one first.
        _ = try credentials.file.all()
        let wasEncrypted = try credentials.file.isEncrypted
        let passphrase: [UInt8]
        if stdin {
            passphrase = Array((readLine() ?? "").utf8)
        } else if wasEncrypted {
            // The environment's, and the program's, is the old one.
            Output.line(
                Printable.line("\(credentials.file.path) is encrypted already: it gets a new passphrase."))
            passphrase = try credentials.passphrase.type(for: credentials.file.path)
        } else {
            passphrase = try credentials.passphrase.choose(for: credentials.file.path)
        }
        guard !passphrase.isEmpty else { throw SubmitFailure.usage("An empty passphrase protects nothing.") }
        try credentials.file.encrypt(with: passphrase)
        Output.line(Printable.line("\(credentials.file.path) is encrypted."))
    }
}

struct DecryptSecrets: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Make an encrypted secrets file readable without a passphrase again, for you alone.")

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let credentials = try Session.catalog().credentials
        guard try credentials.file.isEncrypted else {
            return Output.line(Printable.line("\(credentials.file.path) is not encrypted."))
        }
        try credentials.file.open()
        Output.line(
            Printable.line(
                "\(credentials.file.path) is decrypted: nobody but you can read it, and it needs no passphrase."))
    }
}
