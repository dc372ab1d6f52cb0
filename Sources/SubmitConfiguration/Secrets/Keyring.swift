internal import CDesktopLibraries
internal import Foundation
public import Submit
internal import SubmitPlatform
internal import SubmitStore
public import SystemPackage

/// Secrets in the desktop's Secret Service, such as GNOME Keyring, KWallet or KeePassXC: one entry a destination.
///
/// Source: the freedesktop.org Secret Service API 0.2, by libsecret.
public final class Keyring: SecretBackend {
    /// Two configurations, and people who use both, may have destinations of the same name.
    private let configuration: String
    private let lock: FilePath

    /// - Parameters:
    ///   - configuration: the file whose destinations these are.
    ///   - locks: a folder, which is made where it is not there.
    ///   - environment: says where the session bus is.
    /// - Returns: `nil` where there is no session bus.
    public init?(configuration: FilePath, locks: FilePath, environment: [String: String]) {
        guard environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false else { return nil }
        self.configuration = configuration.string
        lock = locks.appending("keyring")
    }

    public var title: String { "the Secret Service of this desktop" }

    /// Why it cannot be used; `nil`: it answers.
    public func trouble() -> String? {
        do throws(SubmitFailure) {
            _ = try secrets(of: "")
            return nil
        } catch {
            return error.message
        }
    }

    public func secrets(of destination: String) throws(SubmitFailure) -> [String: String] {
        try Self.load()
        var error: UnsafeMutablePointer<CChar>?
        let found = submit_keyring_read(configuration, destination, &error)
        if let error { throw Self.failure(error) }
        guard let found else { return [:] }
        defer { submit_keyring_free(found) }
        guard let secrets = try? JSONDecoder().decode([String: String].self, from: Data(String(cString: found).utf8))
        else {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "secrets",
                message: "What \(title) keeps for “\(destination)” is none of ours: remove the entry "
                    + "“\(Self.label(destination))” there.")
        }
        return secrets
    }

    public func change(_ destination: String, _ edit: (inout [String: String]) -> Void) throws(SubmitFailure) {
        let lock = try FileLock.blocking(lock)
        defer { withExtendedLifetime(lock) {} }
        let old = try secrets(of: destination)
        var new = old
        edit(&new)
        if new == old { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = new.isEmpty ? nil : (try? encoder.encode(new)).map { String(decoding: $0, as: UTF8.self) }
        var error: UnsafeMutablePointer<CChar>?
        if submit_keyring_write(configuration, destination, Self.label(destination), text, &error) != 0, let error {
            throw Self.failure(error)
        }
    }

    private static func label(_ destination: String) -> String { "submit: \(destination)" }

    private static func load() throws(SubmitFailure) {
        guard let reason = submit_keyring_library_error() else { return }
        throw failure(String(cString: reason), "install libsecret (on Debian: libsecret-1-0)")
    }

    private static func failure(_ text: UnsafeMutablePointer<CChar>) -> SubmitFailure {
        defer { free(text) }
        return failure(String(cString: text), "unlock it")
    }

    private static func failure(_ reason: String, _ advice: String) -> SubmitFailure {
        SubmitFailure(
            .hold(.misconfigured, after: nil), code: "keyring",
            message:
                "The Secret Service cannot be used (\(reason)): \(advice), or set “secrets: file” in the configuration."
        )
    }
}
