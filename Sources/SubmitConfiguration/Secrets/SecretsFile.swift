internal import Foundation
public import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SubmitStore
public import SystemPackage

/// Secrets by destination and key, in a file that only its owner can read; encrypted with a passphrase or not.
public final class SecretsFile: SecretBackend {
    /// The file.
    public let path: FilePath
    private let lock: FilePath
    /// There while the file is encrypted, so that a plain one in its place is noticed.
    private let mark: FilePath
    private let passphrase: Passphrase
    /// Of what was opened last: making a key takes a while.
    private let sealingKey = Locked<SealingKey?>(nil)

    /// - Parameters:
    ///   - path: the file; it need not be there.
    ///   - locks: the folder of the locks, which is made where it is not there.
    ///   - passphrase: what opens it where it is encrypted.
    public init(_ path: FilePath, locks: FilePath, passphrase: Passphrase) {
        self.path = path
        lock = locks.appending("secrets")
        mark = locks.appending("secrets-encrypted")
        self.passphrase = passphrase
    }

    public var title: String { "\(path), which only you can read" }

    /// Whether it can be read, as far as that can be told without a passphrase.
    ///
    /// - Throws: a failure to give up with, `secrets`, when others may read the file, or it is no secrets file. The file's
    ///   text is never shown.
    public func check() throws(SubmitFailure) { _ = try text() }

    /// Whether it was encrypted, and is plain text now, which nobody made of it here.
    private func checkMark(_ text: SecretsText) throws(SubmitFailure) {
        guard case .plain(let secrets) = text, !secrets.isEmpty,
            mark.withPlatformString({ access($0, F_OK) }) == 0
        else { return }
        throw SubmitFailure(
            .giveUp, code: "secrets-replaced",
            message:
                "\(path) was encrypted, and a file that is not has taken its place: put the encrypted one back, or remove "
                + "\(mark) if you trust what is in it.")
    }

    /// Notes whether it is encrypted.
    private func note(isEncrypted: Bool) {
        if !isEncrypted {
            unlink(mark.string)
        } else if access(mark.string, F_OK) != 0 {
            try? PrivateFile.write("", to: mark)
        }
    }

    /// Whether a passphrase is needed to read it.
    ///
    /// - Throws: as ``check()``.
    public var isEncrypted: Bool {
        get throws(SubmitFailure) {
            guard case .sealed = try text() else { return false }
            return true
        }
    }

    public func secrets(of destination: String) throws(SubmitFailure) -> [String: String] {
        try all()[destination] ?? [:]
    }

    /// Everything that is kept, by destination and key.
    ///
    /// - Throws: as ``check()``; a failure that puts the destination on hold as misconfigured, `passphrase`, where it is encrypted and cannot be opened.
    public func all() throws(SubmitFailure) -> [String: [String: String]] {
        switch try text() {
        case .plain(let secrets): return secrets
        case .sealed(let parameters, let box): return try opened(parameters, box).secrets
        }
    }

    public func change(_ destination: String, _ edit: (inout [String: String]) -> Void) throws(SubmitFailure) {
        // Asked for before the lock is taken: a person may take their time.
        if case .sealed(let parameters, let box) = try text() { _ = try opened(parameters, box) }
        let lock = try FileLock.blocking(lock)
        defer { withExtendedLifetime(lock) {} }
        var secrets: SecretsText.Entries
        var sealingKey: SealingKey?
        switch try text() {
        case .plain(let plain): secrets = plain
        case .sealed(let parameters, let box): (secrets, sealingKey) = try opened(parameters, box)
        }
        let old = secrets[destination] ?? [:]
        var new = old
        edit(&new)
        if new == old { return }
        secrets[destination] = new.isEmpty ? nil : new
        try write(secrets, sealingKey)
    }

    /// Encrypts it with a passphrase, a new one where it is encrypted.
    ///
    /// - Throws: as ``all()``; when it cannot be written, and then nothing has changed.
    public func encrypt(with passphrase: [UInt8]) throws(SubmitFailure) {
        _ = try all()
        guard let sealingKey = SealingKey(passphrase) else { throw Self.noMemory(path) }
        let lock = try FileLock.blocking(lock)
        defer { withExtendedLifetime(lock) {} }
        try write(try all(), sealingKey)
    }

    /// Writes the secrets so that no passphrase is needed any more.
    ///
    /// - Throws: as ``encrypt(with:)``.
    public func open() throws(SubmitFailure) {
        _ = try all()
        let lock = try FileLock.blocking(lock)
        defer { withExtendedLifetime(lock) {} }
        try write(try all(), nil)
    }

    private func text() throws(SubmitFailure) -> SecretsText {
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
        } catch Errno.noSuchFileOrDirectory {
            return .plain([:])
        } catch {
            throw SubmitFailure(.giveUp, code: "secrets", message: "\(path) cannot be read: check its permissions.")
        }
        defer { try? file.close() }
        // Of the file that is read, and not of one that has taken its place since.
        var status = stat()
        guard fstat(file.rawValue, &status) == 0, status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
            throw SubmitFailure(
                .giveUp, code: "secrets",
                message: "\(path) can be read by others: run `chmod 600 \(path)` and see that you own it.")
        }
        guard let bytes = try? WholeFile.bytes(of: file), let text = String(validating: bytes, as: UTF8.self),
            let secrets = SecretsText(text)
        else {
            throw SubmitFailure(
                .giveUp, code: "secrets",
                message:
                    "\(path) is not a list of destinations with “key: value” lines below each: correct it or remove it."
            )
        }
        try checkMark(secrets)
        return secrets
    }

    private func opened(
        _ parameters: SealingKey.Parameters, _ box: [UInt8]
    ) throws(SubmitFailure) -> (secrets: SecretsText.Entries, sealingKey: SealingKey?) {
        try sealingKey.withLock { known throws(SubmitFailure) in
            if known?.parameters != parameters {
                guard let new = SealingKey(try passphrase.get(opening: path), parameters) else {
                    throw Self.noMemory(path)
                }
                known = new
            }
            guard let bytes = known?.opened(box) else {
                known = nil
                throw SubmitFailure(
                    .hold(.misconfigured, after: nil), code: "passphrase",
                    message:
                        "The passphrase does not open \(path), or somebody has changed that file: try again with the right "
                        + "one.")
            }
            guard case .plain(let secrets)? = SecretsText(String(decoding: bytes, as: UTF8.self)) else {
                throw SubmitFailure(
                    .giveUp, code: "secrets", message: "What is encrypted in \(path) is no list of secrets.")
            }
            note(isEncrypted: true)
            return (secrets, known)
        }
    }

    private func write(_ secrets: SecretsText.Entries, _ sealingKey: SealingKey?) throws(SubmitFailure) {
        do {
            let text = try SecretsText.plainText(secrets)
            guard let sealingKey else {
                note(isEncrypted: false)
                return try PrivateFile.write(text, to: path)
            }
            guard let box = sealingKey.sealed(Array(text.utf8)) else { throw CocoaError(.fileWriteUnknown) }
            try PrivateFile.write(SecretsText.sealedText(sealingKey.parameters, box: box), to: path)
            note(isEncrypted: true)
        } catch {
            throw SubmitFailure(
                .giveUp, code: "secrets", message: "\(path) cannot be written: check that you own its folder.")
        }
    }

    private static func noMemory(_ path: FilePath) -> SubmitFailure {
        SubmitFailure(
            .hold(.misconfigured, after: nil), code: "passphrase",
            message: "There is not enough memory to make the key of \(path): it takes 128 MiB and more.")
    }
}
