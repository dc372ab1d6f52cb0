package import Submit
internal import SubmitConcurrency
internal import SubmitPrograms
package import SubmitStore
internal import SystemPackage

/// Where the secrets of this configuration's destinations are kept, and what is known of them.
package final class CredentialStore: Sendable {
    /// What `secrets` in the configuration says.
    package enum Choice: String, CaseIterable, Sendable {
        /// The 0600 file.
        case file
        /// The desktop's Secret Service. What still stands in the file is used until it is changed.
        case service = "secret-service"
        /// The Secret Service where there is one that answers, else the file. What stands in the file stays there: timers
        /// and `ssh` may need it, which have no desktop.
        case auto
    }

    package let file: SecretsFile
    package let passphrase: Passphrase
    private let choice: Choice
    private let keyring: Keyring?
    /// Given by a program that keeps secrets itself.
    private let own: (any SecretBackend)?
    private let locks: FilePath
    private let environment: InheritedEnvironment
    /// What programs printed, so that each is asked once.
    private let printed = Locked<[String: String]>([:])
    private let answers = Locked<Bool?>(nil)

    /// - Parameters:
    ///   - passed: the names of variables that programs are given besides, by the program's file name.
    ///   - own: where the program keeps secrets itself, in place of `choice`.
    ///   - ask: asks a person for the passphrase of an encrypted file.
    package init(
        _ places: AppPaths, choice: Choice = .auto, passphraseCommand: String? = nil,
        passing passed: [String: Set<String>] = [:], own: (any SecretBackend)? = nil,
        ask: @escaping Passphrase.Question = { _ in nil }
    ) {
        locks = places.configuration.removingLastComponent().appending(".locks")
        environment = InheritedEnvironment(places.environment, passing: passed)
        passphrase = Passphrase(
            environment: places.environment, passing: passed, command: passphraseCommand, ask: ask)
        file = SecretsFile(places.secrets, locks: locks, passphrase: passphrase)
        self.choice = choice
        self.own = own
        keyring =
            choice == .file || own != nil
            ? nil : Keyring(configuration: places.configuration, locks: locks, environment: places.environment)
    }

    convenience init(
        _ places: AppPaths, _ file: ConfigurationFile, own: (any SecretBackend)?, ask: @escaping Passphrase.Question
    ) throws(SubmitFailure) {
        var choice = Choice.auto
        if let written = file.secrets {
            guard let word = Choice(rawValue: written.text) else {
                let words = Choice.allCases.map(\.rawValue)
                throw file.complaint(
                    written.line,
                    "“secrets” must be one of \(words.joined(separator: ", ")), not “\(written.text)”"
                        + "\(NearestNames.hint(for: written.text, among: words)).")
            }
            choice = word
        }
        self.init(
            places, choice: choice, passphraseCommand: file.passphraseCommand?.text, passing: file.passedVariables,
            own: own, ask: ask)
    }

    /// Whether the secrets file can be read, as far as that can be told without a passphrase.
    func check() throws(SubmitFailure) {
        if own == nil { try file.check() }
    }

    /// Whether the secrets of a destination can be had without asking a person, another program or the desktop.
    func isQuiet(for destination: String) -> Bool {
        if own != nil { return true }
        guard (try? file.isEncrypted) == false else { return false }
        return keyring == nil ? choice != .service : keepsInFile(destination)
    }

    /// Whether they stand in the file, and stay there.
    private func keepsInFile(_ destination: String) -> Bool {
        guard own == nil, choice == .auto, let kept = try? file.secrets(of: destination) else { return false }
        return kept.keys.contains { $0 != Self.checkpointKey }
    }

    /// What opens checkpoints is no account of a destination.
    private static let checkpointKey = "checkpoint_key"

    /// Where new secrets are kept.
    ///
    /// - Throws: where the configuration wants the Secret Service and there is none.
    package var place: any SecretBackend {
        get throws(SubmitFailure) {
            if let own { return own }
            switch choice {
            case .file: return file
            case .service:
                guard let keyring else {
                    throw SubmitFailure(
                        .hold(.misconfigured, after: nil), code: "keyring",
                        message:
                            "There is no Secret Service without a session bus (DBUS_SESSION_BUS_ADDRESS): run this in your "
                            + "desktop's session, or set “secrets: file” in the configuration.")
                }
                return keyring
            case .auto:
                guard let keyring, answers(keyring) else { return file }
                return keyring
            }
        }
    }

    package func secrets(of destination: String) throws(SubmitFailure) -> [String: String] {
        if keepsInFile(destination) { return try file.secrets(of: destination) }
        let place = try place
        guard place is Keyring else { return try place.secrets(of: destination) }
        let kept = try place.secrets(of: destination)
        return kept.isEmpty ? try file.secrets(of: destination) : kept
    }

    package func change(_ destination: String, _ edit: (inout [String: String]) -> Void) throws(SubmitFailure) {
        try keep(destination) { secrets in
            edit(&secrets)
            KnownSecrets.add(kept: secrets)
        }
    }

    private func keep(_ destination: String, _ edit: (inout [String: String]) -> Void) throws(SubmitFailure) {
        if keepsInFile(destination) {
            try file.change(destination, edit)
            // Another account of an earlier login must not come back when this one goes.
            // A locked one keeps what it has: what was to be changed is.
            if let keyring, answers(keyring), let other = try? keyring.secrets(of: destination), !other.isEmpty {
                try? keyring.change(destination) { $0 = [:] }
            }
            return
        }
        let place = try place
        guard place is Keyring else { return try place.change(destination, edit) }
        let old = try file.secrets(of: destination)
        do throws(SubmitFailure) {
            try place.change(destination) { secrets in
                if secrets.isEmpty { secrets = old }
                edit(&secrets)
            }
        } catch {
            // One that can be read and not written to, as where nobody is at the desktop to unlock it. What it holds stays in
            // charge.
            guard choice == .auto, try place.secrets(of: destination).isEmpty else { throw error }
            answers.withLock { $0 = false }
            return try file.change(destination, edit)
        }
        // Only now: what is to be kept is somewhere at any moment.
        if !old.isEmpty { try file.change(destination) { $0 = [:] } }
    }

    /// One process, and one task of it, at a time has this of a destination. Others wait; those of other destinations do
    /// not.
    package func lock(_ destination: String) async throws(SubmitFailure) -> FileLock {
        let name =
            ConfigurationFile.isName(destination)
            ? destination
            : "_" + destination.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined().suffix(200)
        return try await FileLock.waiting(locks.appending("destination-\(name)"))
    }

    /// What a program prints on its first line; asked once a process.
    func printed(by command: String, for key: String) throws(SubmitFailure) -> String {
        if let known = printed.withLock({ $0[command] }) { return known }
        guard let program = SecretProgram(command, environment: environment) else {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "configuration",
                message: "The command of \(key) cannot be split into words: a quote or backslash in it has no end.")
        }
        let line = try program.firstLine(for: key)
        printed.withLock { $0[command] = line }
        return line
    }

    private func answers(_ keyring: Keyring) -> Bool {
        if let known = answers.withLock({ $0 }) { return known }
        let new = keyring.trouble() == nil
        answers.withLock { $0 = new }
        return new
    }
}

extension CredentialStore: CustomReflectable {
    /// Without the environment and what programs printed.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
