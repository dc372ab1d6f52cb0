internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// Looks at many keys of a bucket by one list, where each has to be looked at before something is stored there.
///
/// Those who come while a look is under way look together when it is over: what a list tells is as fresh for all of them
/// as a look of their own. Only that nothing is there is taken from it, and only of plain names, which no server writes
/// otherwise.
final class GatheredLooks: Sendable {
    typealias Look = () async throws(SubmitFailure) -> StoredObject?
    typealias Lister = @Sendable (_ request: Request) async throws(SubmitFailure) -> ListedObjects?

    /// What a list is asked for.
    struct Request: Sendable, Hashable {
        /// What all its keys begin with.
        var prefix: String
        /// It goes on after this.
        var after: String
        /// How many keys it names at the most.
        var most: Int
    }

    /// Keys that are looked at together.
    private final class Round: Sendable {
        struct State {
            var keys: [String] = []
            var isClosed = false
            var free: Set<String> = []
        }

        let state = Locked(State())
    }

    private let list: Lister
    /// One round is under way, and one gathers.
    private let turn = AsyncSemaphore(1)
    private let gathering = Locked(Round())
    private let isOfUse = Locked(true)

    /// A list costs as much as some looks.
    static let least = 8
    /// What others have between our keys is named too.
    private static let perKey = 4
    private static let mostNamed = 1000

    init(list: @escaping Lister) { self.list = list }

    /// How many wait for the next round.
    var gathered: Int { gathering.withLock { $0.state.withLock { $0.keys.count } } }

    /// What is under a key.
    ///
    /// - Parameter look: asks the server about that key alone.
    func object(_ key: String, by look: Look) async throws(SubmitFailure) -> StoredObject? {
        guard isOfUse.withLock({ $0 }), Self.isPlain(key) else { return try await look() }
        let round = gathering.withLock { round in
            round.state.withLock { $0.keys.append(key) }
            return round
        }
        guard await turn.acquire() else { throw .cancelled }
        // Who comes from now on did not ask before the answer.
        let isFirst = gathering.withLock { gathering in
            round.state.withLock { state in
                if state.isClosed { return false }
                state.isClosed = true
                gathering = Round()
                return true
            }
        }
        let keys = round.state.withLock { $0.keys }
        if isFirst, keys.count < Self.least {
            // Others gather meanwhile.
            defer { turn.release() }
            return try await look()
        }
        if isFirst {
            let free = await free(of: keys)
            round.state.withLock { $0.free = free }
        }
        turn.release()
        return round.state.withLock({ $0.free.contains(key) }) ? nil : try await look()
    }

    /// Those of which a list shows that nothing is there.
    private func free(of keys: [String]) async -> Set<String> {
        let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard let first = sorted.first, let last = sorted.last else { return [] }
        let request = Request(
            prefix: first.commonPrefix(with: last), after: String(first.dropLast()),
            most: min(Self.mostNamed, Self.perKey * keys.count))
        var free: Set<String> = []
        do throws(SubmitFailure) {
            if let page = try await list(request) { free = page.free(of: sorted) }
        } catch {
            if error.remedy == .cancelled { return [] }
        }
        // Where others have too much, or lists are not for us, they are of no use later either.
        if free.count < keys.count / 2 { isOfUse.withLock { $0 = false } }
        return free
    }

    /// A name that is the same however it is written.
    static func isPlain(_ key: String) -> Bool {
        key.utf8.allSatisfy { byte in
            S3Bucket.isLetterOrDigit(byte) || [UInt8(ascii: "."), UInt8(ascii: "/")].contains(byte)
        }
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(decoding: zip(utf8, other.utf8).prefix { $0 == $1 }.map(\.0), as: UTF8.self)
    }
}

extension ListedObjects {
    /// Those of some keys that would be named if something was there, and are not, whatever their case.
    func free(of keys: [String]) -> Set<String> {
        let named = objects.map(\.key)
        let isInOrder = zip(named, named.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard isWhole || isInOrder, isWhole || !named.isEmpty else { return [] }
        // Some say that they are encoded, or do not.
        let taken = Set(named.flatMap { [$0.lowercased(), decodedKey($0).lowercased()] })
        let last = named.last ?? ""
        return Set(
            keys.filter { key in
                (isWhole || key.utf8.lexicographicallyPrecedes(last.utf8)) && !taken.contains(key.lowercased())
            })
    }
}
