import Submit

/// A server of drawn manners, what others have there, what is sent to it, and what goes wrong on the way.
///
/// Its description is Swift, to be pasted into a test.
struct DAVWorld: Sendable, Hashable {
    /// What goes wrong at one request.
    enum Trouble: String, Sendable, CaseIterable {
        /// The process dies before the server hears of it, or after it was done.
        case killedBefore, killedAfter
        /// The connection breaks before the server hears of it, in the midst of it, or after it was done.
        case brokenBefore, brokenMidway, lostAnswer
        case status423, status429, status500, status503
    }

    struct Item: Sendable, Hashable {
        var name: String
        /// Bytes.
        var size: Int
    }

    var manners: Set<FakeDAV.Manner> = []
    var policy = ConflictPolicy.rename
    var readsBack = false
    /// Items of more than a kilobyte go in parts where the server takes some.
    var isInParts = false
    /// How many items are under way at once.
    var width = 1
    var items: [Item] = []
    /// Files of others, by path; each has bytes of its own.
    var theirs: [String] = []
    /// By the number of the request, counted over all processes.
    var troubles: [Int: Trouble] = [:]

    /// No server is known to have both, or nobody could keep a promise there.
    private static let excluding: [[FakeDAV.Manner]] = [
        [.weakETags, .noETags, .md5ETags, .coarseETags], [.movesNowhere204, .movesNowhere500, .movesNowhere404],
        [.takesContentRange, .keepsFragment], [.storesHalf, .storesOthers], [.demandsLocks, .demandsLocks428],
        [.normalises, .foldsCase], [.hasNoPropfind, .demandsLocks, .demandsLocks428],
    ]

    /// Those that are no server one could keep anything at.
    private static let hopeless: Set<FakeDAV.Manner> = [.loginPage]

    private static let names = [
        "a.jpg", "b.jpg", "A.JPG", "ocean?.jpg", "sea;1.jpg", "Salt & Pepper.jpg", "100%.jpg", "%41.jpg", "#1.jpg", "a b.jpg",
        "\u{e9}.jpg", "e\u{301}.jpg", "trailing.", ".hidden.jpg", "new\nline.jpg", "🌅.jpg", "a-1.jpg",
        String(repeating: "x", count: 200) + ".jpg",
    ]

    static func drawn(_ seed: UInt64) -> DAVWorld {
        var numbers = Numbers(seed: seed)
        var world = DAVWorld()
        let all = FakeDAV.Manner.allCases.filter { !hopeless.contains($0) }.shuffled(using: &numbers)
        for manner in all.prefix(.random(in: 0...5, using: &numbers)) {
            let isExcluded = excluding.contains { $0.contains(manner) && $0.contains(where: world.manners.contains) }
            if !isExcluded { world.manners.insert(manner) }
        }
        world.policy = [.rename, .rename, .overwrite, .skip, .fail].randomElement(using: &numbers)!
        world.readsBack = .random(using: &numbers)
        world.isInParts = .random(using: &numbers)
        world.width = .random(in: 1...3, using: &numbers)
        let names = names.shuffled(using: &numbers)
        for index in 0..<Int.random(in: 1...4, using: &numbers) {
            // Two of one name, at times.
            let name = index > 0 && Int.random(in: 0..<4, using: &numbers) == 0 ? names[0] : names[index]
            world.items.append(Item(name: name, size: [1, 300, 5000, 200_000].randomElement(using: &numbers)! + index))
        }
        for name in names.prefix(4) where Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append(name) }
        if Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append("ocean/their.jpg") }
        for _ in 0..<Int.random(in: 0...4, using: &numbers) {
            world.troubles[.random(in: 0..<400, using: &numbers)] = Trouble.allCases.randomElement(using: &numbers)!
        }
        return world
    }

    /// The same with one thing less, in all ways.
    var smaller: [DAVWorld] {
        var all: [DAVWorld] = []
        func add(_ change: (inout DAVWorld) -> Void) {
            var world = self
            change(&world)
            if world != self { all.append(world) }
        }
        for manner in manners.sorted(by: { $0.rawValue < $1.rawValue }) { add { $0.manners.remove(manner) } }
        for number in troubles.keys.sorted() { add { $0.troubles[number] = nil } }
        if items.count > 1 { for index in items.indices { add { $0.items.remove(at: index) } } }
        for index in theirs.indices { add { $0.theirs.remove(at: index) } }
        add { $0.width = 1 }
        add { $0.isInParts = false }
        add { $0.readsBack = false }
        for index in items.indices where items[index].size > 300 + index { add { $0.items[index].size = 300 + index } }
        add { $0.policy = .rename }
        return all
    }
}

extension DAVWorld: CustomStringConvertible {
    var description: String {
        let items = items.map { "Item(name: \(String(reflecting: $0.name)), size: \($0.size))" }
        let troubles = troubles.sorted { $0.key < $1.key }.map { "\($0.key): .\($0.value.rawValue)" }
        return "DAVWorld(manners: [\(manners.map { ".\($0.rawValue)" }.sorted().joined(separator: ", "))], policy: .\(policy), "
            + "readsBack: \(readsBack), isInParts: \(isInParts), width: \(width), items: [\(items.joined(separator: ", "))], "
            + "theirs: \(theirs), troubles: [\(troubles.isEmpty ? ":" : troubles.joined(separator: ", "))])"
    }
}

/// SplitMix64.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
