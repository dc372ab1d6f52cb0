/// Finds something at a destination by its name, or creates it, so that one results.
///
/// For destinations where two things can have one name, such as the albums of a photo service. Processes with the same
/// ``DestinationNotes`` look and create one after the other. What one created is remembered for a while, because lists of
/// services can lag. If there are several all the same, such as those of other computers, every process uses the oldest.
public struct UniqueCreation: Sendable {
    /// Something that has the name.
    public struct Candidate: Sendable, Hashable {
        /// The destination's own name for it.
        public var id: String
        /// When it was created by the destination's clock, where that is known.
        public var created: Timestamp?

        /// A thing that was listed.
        public init(id: String, created: Timestamp? = nil) {
            self.id = id
            self.created = created
        }
    }

    /// What is to be used.
    public struct Outcome: Sendable, Hashable {
        /// The destination's own name for it.
        public var id: String
        /// This call created it.
        public var isNew: Bool
        /// A sentence for people, if there are several of the name.
        public var note: String?
    }

    /// How long a list may lag.
    private static let lag = Duration.seconds(600)

    private let kind: String
    private let destination: String
    private let notes: any DestinationNotes
    private let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - kind: what is created, as a noun in English, such as `album`.
    ///   - destination: the destination's name.
    ///   - notes: what the processes of this destination share.
    ///   - clock: the time.
    public init(
        of kind: String, at destination: String, notes: any DestinationNotes,
        clock: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.kind = kind
        self.destination = destination
        self.notes = notes
        self.clock = clock
    }

    /// Finds what has this name, or creates it.
    ///
    /// - Parameters:
    ///   - list: all things with exactly this name. It is called again after something was created.
    ///   - create: creates one, and returns its id; `nil` where nothing can be created now.
    /// - Returns: `nil` where there is none and `create` is `nil`.
    /// - Throws: what `list` and `create` throw; ``SubmitFailure/cancelled`` when the task is cancelled while it waits.
    public func find(
        _ name: String, list: @Sendable () async throws(SubmitFailure) -> [Candidate],
        create: (@Sendable () async throws(SubmitFailure) -> String)?
    ) async throws(SubmitFailure) -> Outcome? {
        // A look that fails after something was created must not lose the note of that: the next one begins there.
        let result = try await notes.exclusively(topic(name)) {
            (note) throws(SubmitFailure) -> Result<Outcome?, SubmitFailure> in
            let memory = note.flatMap { Memory($0) }.flatMap { $0.at.duration(to: clock()) < Self.lag ? $0 : nil }
            let found = try await list()
            if let oldest = Self.oldest(found, and: memory) { return .success(outcome(oldest, name)) }
            note = nil
            guard let create else { return .success(nil) }
            let made = Memory(id: try await create(), at: clock())
            note = made.bytes
            do throws(SubmitFailure) {
                // Another computer may have created one since the first look.
                guard let oldest = Self.oldest(try await list(), and: made) else { return .success(nil) }
                var outcome = outcome(oldest, name)
                outcome.isNew = outcome.id == made.id
                return .success(outcome)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Forgets what was created under this name: someone has removed it.
    public func forget(_ name: String) async { await notes.write(topic(name), nil) }

    private func topic(_ name: String) -> String { "\(kind) \(name)" }

    private func outcome(_ oldest: (id: String, count: Int), _ name: String) -> Outcome {
        Outcome(
            id: oldest.id, isNew: false,
            note: oldest.count == 1
                ? nil
                : "“\(destination)” has \(oldest.count) \(kind)s called “\(name)”, and the oldest of them is used.")
    }

    /// The same for every process that sees the same: by date, and by id where dates don't tell.
    private static func oldest(_ found: [Candidate], and memory: Memory?) -> (id: String, count: Int)? {
        var all = found
        if let memory, !found.contains(where: { $0.id == memory.id }) {
            all.append(Candidate(id: memory.id, created: memory.at))
        }
        let hasDates = all.allSatisfy { $0.created != nil }
        let first = all.min { a, b in
            if hasDates, let left = a.created, let right = b.created, left != right { return left < right }
            // Ids that are counted grow longer.
            return (a.id.utf8.count, a.id) < (b.id.utf8.count, b.id)
        }
        return first.map { ($0.id, all.count) }
    }

    /// What some process created, as a note.
    private struct Memory {
        let id: String
        let at: Timestamp

        init(id: String, at: Timestamp) {
            self.id = id
            self.at = at
        }

        init?(_ note: [UInt8]) {
            let parts = String(decoding: note, as: UTF8.self).split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let nanoseconds = Int64(parts[0]) else { return nil }
            self.init(id: String(parts[1]), at: Timestamp(nanoseconds: nanoseconds))
        }

        var bytes: [UInt8] { Array("\(at.nanoseconds) \(id)".utf8) }
    }
}
