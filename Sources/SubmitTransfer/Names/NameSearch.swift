public import Submit

/// The search for an item's name: its own, or the next number that is free.
///
/// It counts, and decides by the conflict policy. ``NameAllocator`` drives it for submitters that wait for answers. A
/// submitter that works with a file system drives it itself.
public struct NameSearch: Sendable {
    /// What happens after a name was found taken.
    public enum Step: Sendable, Hashable {
        /// ``number`` is the next one to try.
        case tryNext
        /// The policy is `skip`: nothing is stored.
        ///
        /// - Parameter note: the receipt's note.
        case skip(note: String)
    }

    /// The number to try; 0 for the item's own name.
    public private(set) var number = 0

    private let index: NameIndex
    private let name: String
    private let place: String
    private let item: MediaItem
    private let policy: ConflictPolicy
    /// Taken numbers that may hold the item.
    private var mayHold: ArraySlice<Int> = []
    private var tried: Set<Int> = []
    private var firstOpen = 0
    private var damaged = 0

    /// How many names are looked at for one item.
    private static let mostNames = 10_000

    /// In how many damaged copies of itself an item ends. Nothing removes them: their owner may have changed them.
    private static let mostDamaged = 4

    /// Begins a search.
    ///
    /// - Parameters:
    ///   - name: the item's own address. Searches for the same one share what they find.
    ///   - place: the destination as sentences call it, such as `the bucket “photos”`.
    ///   - item: what is stored.
    ///   - policy: what happens if other bytes have the name.
    ///   - index: what the run found so far at the destination.
    public init(
        for name: String, in place: String, of item: MediaItem, policy: ConflictPolicy, index: NameIndex
    ) {
        (self.name, self.place, self.item, self.policy, self.index) = (name, place, item, policy, index)
        // Only under these policies may an item get another name than its own.
        guard policy == .rename || policy == .overwrite else { return }
        let (mayHold, firstOpen) = index.candidates(for: item, of: name)
        self.mayHold = mayHold[...]
        self.firstOpen = firstOpen
        // What has the item's own name may be replaced.
        if policy == .overwrite {
            tried.insert(0)
        } else {
            advance()
        }
    }

    /// Moves to the next name, because other bytes have this one.
    ///
    /// - Parameters:
    ///   - shown: the name as people read it.
    ///   - content: what is known about the bytes; `nil` if another item is on its way to this name.
    /// - Throws: `name-taken` if the policy is `fail`, or if too many names are taken; `damaged` if too many names hold damaged
    ///   copies of the item.
    public mutating func passOver(_ shown: String, _ content: OtherContent?) throws(SubmitFailure) -> Step {
        if let content { index.record(content, at: number, of: name) }
        if content?.isDamagedCopy == true { damaged += 1 }
        guard damaged < Self.mostDamaged else {
            throw SubmitFailure(
                .giveUp, code: "damaged",
                message:
                    "\(damaged) copies of “\(item.name)” like “\(shown)” hold other bytes now in \(place), so it gets "
                    + "damaged there: have the storage checked, and remove them.")
        }
        switch policy {
        case .skip:
            return .skip(note: "Another file has the name “\(shown)”; it was left alone and nothing was stored.")
        case .fail:
            throw SubmitFailure(
                .giveUp, code: "name-taken",
                message:
                    "“\(item.name)” was not stored, because another file has the name “\(shown)” in \(place): rename "
                    + "one of them.")
        case .rename, .overwrite:
            advance()
        }
        guard tried.count <= Self.mostNames else {
            throw SubmitFailure(
                .giveUp, code: "name-taken",
                message:
                    "“\(item.name)” was not stored, because \(Self.mostNames) other files in \(place) have names like "
                    + "it: rename it.")
        }
        return .tryNext
    }

    /// Remembers that the item has the name now.
    public func end() { index.recordCopy(of: item, at: number, of: name) }

    /// The receipt's note for an item that didn't get its own name; `nil` if it did.
    ///
    /// - Parameters:
    ///   - shown: the name it got, as people read it.
    ///   - own: its own.
    public func note(_ shown: String, insteadOf own: String) -> String? {
        number == 0 ? nil : "It is called “\(shown)”, because another file has the name “\(own)”."
    }

    private mutating func advance() {
        while let next = mayHold.popFirst() {
            if tried.insert(next).inserted {
                number = next
                return
            }
        }
        while tried.contains(firstOpen) || index.isTaken(firstOpen, of: name, for: item) { firstOpen += 1 }
        tried.insert(firstOpen)
        number = firstOpen
    }
}
