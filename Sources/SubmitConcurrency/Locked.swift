internal import Foundation

/// A value that one thread at a time may touch.
///
/// An `NSLock` and not `Synchronization.Mutex`: ThreadSanitizer reports false races on the latter under contention.
public final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    public init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` with the value while no one else has it. Never suspend or call out inside.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

extension Locked: CustomReflectable {
    /// Without the value: it may be a secret, and may only be read in turn.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
