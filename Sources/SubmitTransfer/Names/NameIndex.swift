internal import Submit
internal import SubmitConcurrency

/// The names that items of one run found taken.
///
/// A search begins where the last one for the same name ended, so 400 files of one name cost 400 looks and not 80,000. Only
/// names that are taken are remembered: an index is empty as long as all names differ.
public final class NameIndex: Sendable {
    private struct Names {
        var taken: [Int: OtherContent] = [:]
        /// The numbers by content, where that is known.
        var numbers: [[UInt8]: Int] = [:]
        /// Those whose content isn't known.
        var unclear: Set<Int> = []
        /// All numbers below are taken.
        var firstOpen = 0
    }

    private struct State {
        var names: [String: Names] = [:]
        var count = 0
    }

    private let state = Locked(State())

    /// At so many names it begins anew: each costs some 200 bytes.
    private static let mostNames = 100_000

    /// An index that knows nothing.
    public init() {}

    /// Records that bytes have a name.
    func record(_ content: OtherContent, at number: Int, of name: String) {
        state.withLock { state in
            if state.count >= Self.mostNames { state = State() }
            var names = state.names.removeValue(forKey: name) ?? Names()
            if let before = names.taken[number] {
                before.sha256.map { names.numbers[$0] = nil }
            } else {
                state.count += 1
            }
            names.taken[number] = content
            if let sha256 = content.sha256 {
                names.numbers[sha256] = number
                names.unclear.remove(number)
            } else {
                names.unclear.insert(number)
            }
            while names.taken[names.firstOpen] != nil { names.firstOpen += 1 }
            state.names[name] = names
        }
    }

    /// Records where an item was stored, if others have its name.
    func recordCopy(of item: MediaItem, at number: Int, of name: String) {
        guard state.withLock({ $0.names[name] != nil }) else { return }
        record(OtherContent(size: item.size, sha256: item.digests[.sha256]), at: number, of: name)
    }

    /// The taken numbers that may hold the item, best first, and the first number that isn't known to be taken.
    func candidates(for item: MediaItem, of name: String) -> (mayHold: [Int], firstOpen: Int) {
        state.withLock { state in
            guard let names = state.names[name] else { return ([], 0) }
            let unclear = names.unclear.filter { names.taken[$0]?.mayBe(item) == true }
            let known = item.digests[.sha256].flatMap { names.numbers[$0] }
            return ((known.map { [$0] } ?? []) + unclear.sorted(), names.firstOpen)
        }
    }

    /// Whether other bytes are known to have a name.
    func isTaken(_ number: Int, of name: String, for item: MediaItem) -> Bool {
        state.withLock { $0.names[name]?.taken[number].map { !$0.mayBe(item) } ?? false }
    }
}
