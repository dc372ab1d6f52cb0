internal import Submit
internal import SubmitConcurrency

/// Secrets by destination and key that end with the process.
public final class MemorySecrets: SecretBackend {
    private let kept: Locked<[String: [String: String]]>

    /// - Parameter secrets: by destination and key.
    public init(_ secrets: [String: [String: String]] = [:]) {
        kept = Locked(secrets)
    }

    public var title: String { "the memory of this program" }

    public func secrets(of destination: String) -> [String: String] {
        kept.withLock { $0[destination] ?? [:] }
    }

    public func change(_ destination: String, _ edit: (inout [String: String]) -> Void) {
        kept.withLock { edit(&$0[destination, default: [:]]) }
    }
}

extension MemorySecrets: CustomReflectable {
    /// Without the secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
