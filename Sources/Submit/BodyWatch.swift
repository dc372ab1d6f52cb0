internal import Synchronization

/// What an attempt and the transport that sends its bytes tell each other about the item's body.
///
/// The transports of this package find it in ``current``, so that submitters need not know of it.
package final class BodyWatch: Sendable {
    /// The watch of the attempt whose task this is.
    package static var current: BodyWatch? { ofTask }

    @TaskLocal package static var ofTask: BodyWatch?

    /// Large bodies are announced first (`Expect: 100-continue`, RFC 9110, section 10.1.1), so that a refusal can be read before
    /// any of the body is sent.
    package let asksFirst: Bool
    private let offset = Atomic<Int64>(-1)

    /// Bytes above which a body is announced first. For smaller ones the wait costs more than sending them.
    package static let large: Int64 = 1 << 20

    /// - Parameter asksFirst: earlier attempts broke in the middle of the body.
    package init(asksFirst: Bool = false) {
        self.asksFirst = asksFirst
    }

    /// Notes that the exchange ended without an answer in the middle of a large body.
    ///
    /// - Parameter offset: bytes of the body that had been handed over.
    package func cut(at offset: Int64) { self.offset.store(offset, ordering: .relaxed) }

    /// The offset of the latest cut in bytes; `nil` if there was none.
    package var cut: Int64? {
        let offset = offset.load(ordering: .relaxed)
        return offset < 0 ? nil : offset
    }
}
