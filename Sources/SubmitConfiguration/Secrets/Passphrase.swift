public import Submit
internal import SubmitConcurrency
internal import SubmitPrograms
public import SystemPackage

/// The passphrase of an encrypted secrets file: from `SUBMIT_PASSPHRASE`, else from the program in `passphrase_command`,
/// else from a person. Found once.
public final class Passphrase: Sendable {
    /// Asks a person for a line that nobody else sees; `nil` where there is nobody to ask.
    public typealias Question = @Sendable (_ prompt: String) throws(SubmitFailure) -> [UInt8]?

    private let environment: [String: String]
    private let passed: [String: Set<String>]
    private let command: String?
    private let ask: Question
    private let found = Locked<Result<[UInt8], SubmitFailure>?>(nil)

    /// The environment variable that holds it.
    public static let variable = "SUBMIT_PASSPHRASE"

    /// - Parameters:
    ///   - environment: where ``variable`` is looked for; the program is given what it needs of it.
    ///   - passed: the names of variables that programs are given besides, by the program's file name.
    ///   - command: the program that prints it, with its arguments.
    ///   - ask: asks for it where neither is; without: nobody is asked.
    public init(
        environment: [String: String], passing passed: [String: Set<String>] = [:], command: String? = nil,
        ask: @escaping Question = { _ in nil }
    ) {
        self.environment = environment
        self.passed = passed
        self.command = command
        self.ask = ask
    }

    /// - Parameter path: the file that it opens.
    /// - Throws: a failure that puts the destination on hold as misconfigured, `passphrase`, where there is none to be had, with how to give it.
    public func get(opening path: FilePath) throws(SubmitFailure) -> [UInt8] {
        try found.withLock { found throws(SubmitFailure) in
            if let found { return try found.get() }
            let new = Result { () throws(SubmitFailure) in try look(path) }
            if let phrase = try? new.get() {
                KnownSecrets.add(String(decoding: phrase, as: UTF8.self), isConfigured: true)
            }
            found = new
            return try new.get()
        }
    }

    private func look(_ path: FilePath) throws(SubmitFailure) -> [UInt8] {
        if let set = try set() { return set }
        guard let typed = try ask("Passphrase of \(path): "), !typed.isEmpty else {
            throw Self.missing(path, "which is encrypted")
        }
        return typed
    }

    /// From the environment or the program; `nil` where neither is.
    package func set() throws(SubmitFailure) -> [UInt8]? {
        if let text = environment[Self.variable], !text.isEmpty {
            KnownSecrets.add(text, isConfigured: true)
            return Array(text.utf8)
        }
        guard let command else { return nil }
        let inherited = InheritedEnvironment(environment, passing: passed)
        guard let program = SecretProgram(command, environment: inherited) else {
            throw SubmitFailure(
                .giveUp, code: "usage", message: "“passphrase_command” is no command: a quote in it has no end.")
        }
        return Array(try program.firstLine(for: "“passphrase_command”").utf8)
    }

    /// What to do where there is none.
    package static func missing(_ path: FilePath, _ why: String) -> SubmitFailure {
        SubmitFailure(
            .hold(.misconfigured, after: nil), code: "passphrase",
            message:
                "There is no passphrase for \(path), \(why): set \(variable), name a program in “passphrase_command” of the "
                + "configuration, or run this at a terminal.")
    }
}

extension Passphrase: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: []) }
}
