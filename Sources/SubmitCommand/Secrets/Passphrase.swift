internal import Submit
internal import SystemPackage

/// The passphrase of a sealed secrets file: from `SUBMIT_PASSPHRASE`, else from the program in `passphrase_command`,
/// else typed on the terminal. Found once a process.
final class Passphrase: Sendable {
    private let environment: [String: String]
    private let command: String?
    private let found = Locked<Result<[UInt8], SubmitFailure>?>(nil)

    static let variable = "SUBMIT_PASSPHRASE"

    init(environment: [String: String], command: String? = nil) {
        self.environment = environment
        self.command = command
    }

    /// - Throws: where there is none to be had, with how to give it.
    func get(opening path: FilePath) throws(SubmitFailure) -> [UInt8] {
        try found.withLock { found throws(SubmitFailure) in
            if let found { return try found.get() }
            let new = Result { () throws(SubmitFailure) in try look(path) }
            found = new
            return try new.get()
        }
    }

    /// One for sealing what is not sealed.
    func choose(for path: FilePath) throws(SubmitFailure) -> [UInt8] {
        if let set = try set() { return set }
        return try type(for: path)
    }

    /// A new one, typed twice on the terminal.
    func type(for path: FilePath) throws(SubmitFailure) -> [UInt8] {
        guard let first = try HiddenInput.line("New passphrase for \(path): ") else {
            throw Self.missing(path, "to seal it")
        }
        guard !first.isEmpty else { throw .usage("An empty passphrase seals nothing.") }
        guard try HiddenInput.line("Once more: ") == first else {
            throw .usage("Those were two different passphrases: nothing has changed.")
        }
        return first
    }

    private func look(_ path: FilePath) throws(SubmitFailure) -> [UInt8] {
        if let set = try set() { return set }
        guard let typed = try HiddenInput.line("Passphrase of \(path): "), !typed.isEmpty else {
            throw Self.missing(path, "which is sealed")
        }
        return typed
    }

    private func set() throws(SubmitFailure) -> [UInt8]? {
        if let text = environment[Self.variable], !text.isEmpty { return Array(text.utf8) }
        guard let command else { return nil }
        guard let program = SecretProgram(command, environment: environment) else {
            throw .usage("“passphrase_command” is no command: a quote in it has no end.")
        }
        return Array(try program.firstLine(for: "“passphrase_command”").utf8)
    }

    private static func missing(_ path: FilePath, _ why: String) -> SubmitFailure {
        SubmitFailure(
            .park(.misconfigured, afterMilliseconds: nil), code: "passphrase",
            "There is no passphrase for \(path), \(why): set \(variable), name a program in “passphrase_command” of the "
                + "configuration, or run this at a terminal.")
    }
}
