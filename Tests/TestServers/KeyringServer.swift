/// A Secret Service with a keyring of its own, on a session bus of its own.
public final class KeyringServer: Sendable {
    private let script: ServerScript
    /// What finds it: `DBUS_SESSION_BUS_ADDRESS`.
    public let environment: [String: String]

    public init() async throws {
        script = try ServerScript("keyring.sh")
        environment = try await script.start()
    }

    /// Starts it anew, with what it keeps, and nobody there to open it.
    public func lock() async throws {
        _ = try await script.start(["--locked"])
    }

    public func stop() async throws { try await script.stop() }
}
