internal import Submit
internal import SubmitConcurrency
internal import SubmitMedia

/// A source that, while it is read from its beginning to its end, is searched for a JPEG's end marker.
///
/// What is read for the digests need not be read a second time. Nothing is searched until ``begin(at:head:)``.
final class EndMarkerSearch: MediaBytes {
    private let source: GuardedFile
    private let state = Locked(State.idle)

    private enum State {
        case idle
        /// `next`: where the piece that comes next begins; `isHalf`: the last byte so far is the marker's first.
        case seeking(next: Int64, isHalf: Bool)
        case found
    }

    init(_ source: GuardedFile) { self.source = source }

    /// The marker is sought from an offset on.
    ///
    /// - Parameter head: what was read already.
    func begin(at offset: Int64, head: UnsafeRawBufferPointer) {
        state.withLock { $0 = .seeking(next: offset, isHalf: false) }
        guard offset < head.count else { return }
        search(UnsafeRawBufferPointer(rebasing: head[Int(offset)...]), at: offset)
    }

    /// Whether the marker was sought and was not found.
    var isMissing: Bool { state.withLock { if case .seeking = $0 { true } else { false } } }

    private func search(_ piece: UnsafeRawBufferPointer, at offset: Int64) {
        state.withLock { state in
            guard case .seeking(let next, let isHalf) = state, offset + Int64(piece.count) > next,
                case let rest = UnsafeRawBufferPointer(rebasing: piece[Int(max(0, next - offset))...]),
                let last = rest.last
            else { return }
            if isHalf && rest.first == 0xd9 || MissingEnd.holdsMarker(rest) {
                state = .found
            } else {
                state = .seeking(next: offset + Int64(piece.count), isHalf: last == 0xff)
            }
        }
    }

    var size: Int64 { source.size }
    var fileDescriptor: CInt? { source.fileDescriptor }
    func verifyUnchanged() throws(SubmitFailure) { try source.verifyUnchanged() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        let count = try source.read(into: buffer, at: offset)
        search(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
        return count
    }
}
