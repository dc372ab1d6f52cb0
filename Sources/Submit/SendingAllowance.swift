internal import Foundation

/// How fast bytes may go out of an attempt: whoever moves them asks before each piece. What asks nobody is not held back.
///
/// The transports of this package ask, so that a submitter that sends by one of them need not. One that moves bytes in
/// another way, as to a disk, finds the allowance in ``current``.
public struct SendingAllowance: Sendable {
    /// That of the attempt whose task this is; `nil` where nothing bounds it.
    public static var current: SendingAllowance? { ofTask }

    @TaskLocal package static var ofTask: SendingAllowance?

    private let ask: @Sendable (Int, @escaping @Sendable (Int) -> Void) -> Void

    /// - Parameter ask: what ``request(_:then:)`` does.
    public init(_ ask: @escaping @Sendable (Int, @escaping @Sendable (Int) -> Void) -> Void) {
        self.ask = ask
    }

    /// Asks for bytes that are to go out next.
    ///
    /// - Parameters:
    ///   - bytes: so many would be sent at once; more than 0.
    ///   - granted: called once, at once or later and on any thread, with how many of them may go now: at least 1. Who wants more asks
    ///     again.
    public func request(_ bytes: Int, then granted: @escaping @Sendable (Int) -> Void) { ask(bytes, granted) }

    /// The same for a thread that may wait.
    public func take(_ bytes: Int) -> Int {
        let isThere = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var count = 0
        ask(bytes) {
            count = $0
            isThere.signal()
        }
        isThere.wait()
        return count
    }
}
