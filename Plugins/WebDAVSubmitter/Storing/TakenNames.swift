internal import Submit
internal import SubmitConcurrency

/// The names that are taken in collections: who brings many items there needs no look for each.
///
/// It is a memory of how things stood, good enough to spare a look, since nothing is moved over another resource.
final class TakenNames: Sendable {
    private enum Knowledge {
        /// So many were looked for, one by one.
        case looked(Int)
        /// In lower case. Equal strings are canonically equivalent, so that no Unicode form is missed.
        case listed(Set<String>)
        /// It cannot be listed, or is too large for that.
        case unlisted
    }

    private let server: DAVServer
    private let turn = KeyedLock()
    private let known = Locked<[DAVPath: Knowledge]>([:])

    /// How many names of a collection are looked for before it is listed.
    private static let fewLooks = 3

    init(_ server: DAVServer) {
        self.server = server
    }

    /// Nothing is in a collection that was just made.
    func begin(_ collection: DAVPath) {
        known.withLock { $0[collection] = .listed([]) }
    }

    func add(_ path: DAVPath) {
        guard let collection = path.parent, let name = path.name else { return }
        known.withLock { known in
            guard case .listed(var names) = known[collection] else { return }
            known[collection] = nil
            names.insert(name.lowercased())
            known[collection] = .listed(names)
        }
    }

    /// Whether something may be at a path. False only where nothing was when its collection was listed.
    func mayHold(_ path: DAVPath, on profile: ServerProfile) async throws(SubmitFailure) -> Bool {
        guard profile.lists, profile.moves, profile.sparesOthers, let collection = path.parent, let name = path.name
        else {
            return true
        }
        if let answer = answer(collection, name) { return answer }
        guard await turn.acquire(collection.encoded) else { throw .cancelled }
        defer { turn.release(collection.encoded) }
        if let answer = answer(collection, name) { return answer }
        do throws(SubmitFailure) {
            let listing = try await server.list(collection, properties: [.dav("resourcetype")])
            guard listing?.isWhole ?? true else {
                known.withLock { $0[collection] = .unlisted }
                return true
            }
            var names = Set((listing?.members ?? []).compactMap { $0.path.name?.lowercased() })
            names.formUnion((listing?.refused ?? [:]).keys.map { $0.lowercased() })
            known.withLock { $0[collection] = .listed(names) }
            return names.contains(name.lowercased())
        } catch {
            if error.remedy == .cancelled { throw error }
            known.withLock { $0[collection] = .unlisted }
            return true
        }
    }

    private func answer(_ collection: DAVPath, _ name: String) -> Bool? {
        known.withLock { known in
            switch known[collection] ?? .looked(0) {
            case .listed(let names): return names.contains(name.lowercased())
            case .unlisted: return true
            case .looked(let count):
                if count >= Self.fewLooks { return nil }
                known[collection] = .looked(count + 1)
                return true
            }
        }
    }
}
