public import Submit
internal import SubmitConcurrency

/// Where in-memory submitters keep their copies, with a script of faults and a record of what happened.
public final class InMemoryPlace: Sendable {
    /// The moments of a submission at which the script is asked.
    public enum Moment: Sendable, Hashable {
        /// Nothing of the item has been read.
        case beforeSending
        /// All bytes have landed, and there is no copy yet.
        case beforeStoring
        /// The copy is stored and nobody knows yet.
        case afterStoring
        /// What a broken attempt left is to be removed.
        case discarding
    }

    /// What happens at a moment of an attempt. It may wait, and it may fail.
    public typealias Script = @Sendable (Moment, MediaItem, SubmissionContext) async -> Result<Void, SubmitFailure>

    private struct State {
        var copies: [String: [UInt8]] = [:]
        /// By submission: what has landed of those that are not whole.
        var uploads: [String: [UInt8]] = [:]
        var albums: Set<String> = []
        var taken: Int64 = 0
        var running = 0
        var widest = 0
        var begun: [String] = []
        var stored: [String] = []
        var script: Script?
        var outage: SubmitFailure?
        var proves = Evidence.verified
        var looks = 0
    }

    private let state = Locked(State())
    /// Tells the URLs of different places apart.
    let name = String(UInt64.random(in: 0...UInt64.max), radix: 36)

    /// A place that holds nothing, where all goes well.
    public init() {}

    /// Faults to come.
    public var script: Script? {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }

    /// What everybody meets who asks for anything; `nil` while all is well.
    public var outage: SubmitFailure? {
        get { state.withLock { $0.outage } }
        set { state.withLock { $0.outage = newValue } }
    }

    /// How sure its receipts and its looks are where nothing is read back.
    public var proves: Evidence {
        get { state.withLock { $0.proves } }
        set { state.withLock { $0.proves = newValue } }
    }

    /// How often it was asked for a copy.
    public var looks: Int { state.withLock { $0.looks } }

    /// The copies by path.
    public var contents: [String: [UInt8]] { state.withLock { $0.copies } }

    /// The submissions of which a part has landed.
    public var uploads: [String] { state.withLock { $0.uploads.keys.sorted() } }

    /// How many bytes of items have come, whatever became of them.
    public var bytesTaken: Int64 { state.withLock { $0.taken } }

    /// The greatest number of submissions there ever were at once.
    public var widest: Int { state.withLock { $0.widest } }

    /// The names of the items of all attempts, in the order of their beginnings.
    public var begun: [String] { state.withLock { $0.begun } }

    /// The paths that bytes were stored under, once for each time.
    public var stored: [String] { state.withLock { $0.stored } }

    /// The URL that the receipt of a copy names.
    public func url(of path: String) -> String { "memory://\(name)/\(path)" }

    subscript(name: String) -> [UInt8]? { state.withLock { $0.copies[name] } }

    /// Puts a copy there, as someone else would; with `nil` takes away what is there.
    public func put(_ bytes: [UInt8]?, as name: String) {
        state.withLock { $0.copies[name] = bytes }
    }

    func begin(_ item: MediaItem) {
        state.withLock { state in
            state.running += 1
            state.widest = max(state.widest, state.running)
            state.begun.append(item.name)
        }
    }

    func end() {
        state.withLock { $0.running -= 1 }
    }

    func run(_ moment: Moment, _ item: MediaItem, _ context: SubmissionContext) async throws(SubmitFailure) {
        try checkReach()
        try await script?(moment, item, context).get()
        if Task.isCancelled, moment != .afterStoring { throw .cancelled }
    }

    func path(_ name: String, _ album: String?) -> String {
        guard let album else { return name }
        state.withLock { _ = $0.albums.insert(album) }
        return "\(album)/\(name)"
    }

    func store(_ data: [UInt8], as name: String, replacing: Bool) -> Bool {
        state.withLock { state in
            guard replacing || state.copies[name] == nil else { return false }
            state.copies[name] = data
            state.stored.append(name)
            return true
        }
    }

    // MARK: - Parts

    func took(_ count: Int) {
        state.withLock { $0.taken += Int64(count) }
    }

    /// What has landed of a submission.
    func upload(_ submission: String) -> [UInt8] {
        state.withLock { $0.uploads[submission] ?? [] }
    }

    func land(_ data: [UInt8], of submission: String) {
        state.withLock { $0.uploads[submission] = data }
    }

    /// Removes what has landed of a submission.
    func forget(_ submission: String) {
        state.withLock { $0.uploads[submission] = nil }
    }

    private func checkReach() throws(SubmitFailure) {
        if let outage { throw outage }
    }
}

extension InMemoryPlace: AlbumFacet {
    public func list() async throws(SubmitFailure) -> [String] {
        try checkReach()
        return state.withLock { $0.albums.sorted() }
    }

    public func create(_ album: String) async throws(SubmitFailure) {
        try checkReach()
        state.withLock { _ = $0.albums.insert(album) }
    }
}

extension InMemoryPlace: PresenceFacet {
    public func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        if proves == .verified { return await presenceReadBack(of: item, receipt: receipt) }
        state.withLock { $0.looks += 1 }
        if let outage { return .unknown(outage.message) }
        guard let copy = self[receipt.remoteID] else { return .absent }
        return Int64(copy.count) == item.size ? .present(proves) : .changed(.size)
    }

    public func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence {
        state.withLock { $0.looks += 1 }
        if let outage { return .unknown(outage.message) }
        guard let copy = self[receipt.remoteID] else { return .absent }
        guard Int64(copy.count) == item.size else { return .changed(.size) }
        return copy.matches(item) ? .present(.verified) : .changed(.digest)
    }
}

extension InMemoryPlace: RemovalFacet {
    public func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        try checkReach()
        state.withLock { $0.copies[receipt.remoteID] = nil }
    }

    public func removeAlbum(_ album: String) async throws(SubmitFailure) {
        try checkReach()
        state.withLock { state in
            let isEmpty = !state.copies.keys.contains { $0.hasPrefix(album + "/") }
            if isEmpty { state.albums.remove(album) }
        }
    }
}
