internal import Submit
internal import SubmitConcurrency
internal import SubmitXML

/// Looks at the places to which items of a collection were moved: at those of many small ones together.
///
/// One listing tells of all that wait, and costs the more the more lies in the collection. So they wait for each other until
/// no more are on their way, but not where they are slow to come and a look costs only a small part of that time; and where
/// a listing costs more than a look at each, each is looked at.
final class BatchedLookup: Sendable {
    private struct Waiting {
        var number: Int
        var path: DAVPath
    }

    private struct State {
        /// Items on their way to the collection that have not come to their places.
        var coming = 0
        var waiting: [Waiting] = []
        var turns: [Int: CheckedContinuation<Result<StoredFile?, SubmitFailure>, Never>] = [:]
        var lastNumber = 0
        var since = ContinuousClock.now
        var isLooking = false
        /// Someone comes back when patience ends.
        var isTimed = false
        /// How many lie in the collection, and how long it took to list each; `nil` before the first listing.
        var entries: Int?
        var entryTime = Duration.microseconds(10)
        var cannotList = false
        /// The server spells names in a way of its own.
        var spellsOtherwise = false
    }

    private let path: DAVPath
    private let server: DAVServer
    private let profile: ServerProfile
    private let width: Int
    private let state = Locked(State())

    /// A look costs at most the time that those who wait for it took, divided by this.
    private static let share = 20
    /// So few are looked at one by one.
    private static let few = 3
    /// A listing of at most so many for each who waits is rather asked for than so many single looks.
    private static let short = 30

    /// - Parameter width: how many requests are under way at once.
    init(_ path: DAVPath, on server: DAVServer, _ profile: ServerProfile, width: Int) {
        self.path = path
        self.server = server
        self.profile = profile
        self.width = width
    }

    /// An item is on its way; it has to ``leave()``.
    func enter() { state.withLock { $0.coming += 1 } }

    func leave() {
        state.withLock { $0.coming -= 1 }
        lookIfDue()
    }

    /// What is at the place of an item that was moved there; `nil` where nothing is.
    ///
    /// When the task is cancelled it is looked at by itself, at once: it has been moved, and that is to be told.
    ///
    /// - Throws: why nothing can be told.
    func file(_ path: DAVPath, about name: String) async throws(SubmitFailure) -> StoredFile? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    if state.waiting.isEmpty { state.since = .now }
                    state.coming -= 1
                    state.waiting.append(Waiting(number: number, path: path))
                    state.turns[number] = continuation
                    return false
                }
                if isCancelled { continuation.resume(returning: .success(nil)) } else { lookIfDue() }
            }
        } onCancel: {
            answer(number, .success(nil))
        }
        if let file = try result.get() { return file }
        // Listings leave out what is hidden, or spell it otherwise: what counts is what the address leads to.
        return try await server.fileForSure(path, lists: profile.lists && profile.checksum != nil, about: name)
    }

    private func answer(_ number: Int, _ result: Result<StoredFile?, SubmitFailure>) {
        let turn = state.withLock { state in
            state.waiting.removeAll { $0.number == number }
            let turn = state.turns.removeValue(forKey: number)
            if turn != nil { state.coming += 1 }
            return turn
        }
        turn?.resume(returning: result)
    }

    private enum Look {
        case none
        /// It is time for one later.
        case later(Duration)
        case list([Waiting])
        /// The others are answered that each is to be looked at.
        case each([Waiting])
    }

    private func lookIfDue() {
        let look: Look = state.withLock { state in
            guard !state.isLooking, !state.waiting.isEmpty else { return .none }
            let (count, request) = (state.waiting.count, server.requestTime)
            let listing = request + state.entryTime * (state.entries ?? count)
            let each = request * count / width
            let isShort = state.entries.map { $0 <= Self.short * count } ?? true
            let lists = !state.cannotList && count > Self.few && (isShort || listing <= each)
            let patience = max(.seconds(1), (lists ? listing : each) * Self.share)
            let left = patience - (ContinuousClock.now - state.since)
            guard state.coming == 0 || left <= .zero else {
                defer { state.isTimed = true }
                return state.isTimed ? .none : .later(left)
            }
            defer { state.waiting = [] }
            state.entries = state.entries.map { $0 + count }
            if !lists { return .each(state.waiting) }
            state.isLooking = true
            return .list(state.waiting)
        }
        switch look {
        case .none: return
        // Whoever is still on the way may take long, and tell nobody.
        case .later(let left):
            Task {
                try? await Task.sleep(for: left)
                state.withLock { $0.isTimed = false }
                lookIfDue()
            }
        case .each(let waiting): for waiting in waiting { answer(waiting.number, .success(nil)) }
        case .list(let waiting): Task { await list(for: waiting) }
        }
    }

    private func list(for waiting: [Waiting]) async {
        let begin = ContinuousClock.now
        // Byte by byte: two names that are canonically equivalent may be two files.
        var found: [DAVPath: DAVResource] = [:]
        var listing: DAVListing?
        do throws(SubmitFailure) {
            let wanted = state.withLock { $0.spellsOtherwise } ? nil : waiting.map(\.path)
            listing = try await server.list(path, properties: DAVResource.fileProperties(on: profile), only: wanted)
            for member in listing?.members ?? [] { found[member.path] = member }
        } catch {
            // Each is looked at then, and told what stands in the way.
        }
        let time = ContinuousClock.now - begin
        let ignored = listing?.ignored ?? 0
        let count = found.count + ignored
        state.withLock { state in
            state.isLooking = false
            state.cannotList = listing == nil
            if found.isEmpty, ignored >= waiting.count { state.spellsOtherwise = true }
            state.entries = count
            if count > 0 { state.entryTime = max(.zero, time - server.requestTime) / count }
        }
        for waiting in waiting {
            let member = found[waiting.path].flatMap { $0.isProcessing ? nil : StoredFile($0) }
            answer(waiting.number, .success(member))
        }
        lookIfDue()
    }
}

/// The lookups of a destination, one for each collection.
final class BatchedLookups: Sendable {
    private let server: DAVServer
    private let width: Int
    private let all = Locked<[DAVPath: BatchedLookup]>([:])

    init(_ server: DAVServer, width: Int) {
        self.server = server
        self.width = width
    }

    /// The one for an item's place; `nil` where that is looked at by itself.
    func lookup(over collection: DAVPath, size: Int64, on profile: ServerProfile) -> BatchedLookup? {
        guard size <= StagingCollection.small, profile.moves, profile.listsSizes else { return nil }
        return all.withLock { all in
            let lookup = all[collection] ?? BatchedLookup(collection, on: server, profile, width: width)
            all[collection] = lookup
            return lookup
        }
    }
}
