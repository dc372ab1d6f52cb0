internal import FoundationEssentials
internal import Submit
internal import SubmitConcurrency

/// What is remembered of the destination's root, from its first use on.
struct RememberedRoot: Hashable, Codable {
    /// As configured: who configures another one means another one.
    var path: String
    /// What ``FolderMark`` says there; `nil` where none can be made.
    var mark: String?
    /// Of its ``FolderLocation``.
    var traits: Set<String>
}

/// The memory of which folder the root is, in the destination's notes.
final class RememberedFolder: Sendable {
    /// What is known when a folder is looked at.
    struct Knowledge {
        var home: RememberedRoot?
        /// Copies arrived here before anything was remembered: an empty folder is not taken for their place.
        var expectsCopies = false
        /// The present whereabouts are written down.
        var isConfirmed = false
    }

    private let notes: any DestinationNotes
    private let path: String
    private let known = Locked<Knowledge?>(nil)

    static let topic = "folders"
    /// Paths that are remembered.
    private static let most = 8

    init(path: String, notes: any DestinationNotes) {
        self.path = path
        self.notes = notes
    }

    func knowledge() async -> Knowledge {
        if let known = known.withLock({ $0 }) { return known }
        return await reread()
    }

    /// What is known by now: another process may have been told that the folder moved.
    func reread() async -> Knowledge {
        let homes = await homes()
        var knowledge = Knowledge(home: homes.first { $0.path == path })
        if homes.isEmpty { knowledge.expectsCopies = await notes.holdsCopies }
        known.withLock { $0 = knowledge }
        return knowledge
    }

    /// Remembers a home of this path from now on, instead of what was known when it was looked at.
    ///
    /// - Returns: what is known now: another submission may have remembered another home meanwhile.
    func remember(_ home: RememberedRoot, insteadOf seen: RememberedRoot?) async -> Knowledge {
        let (now, isFirst) = known.withLock { known in
            if let known, known.home != seen { return (known, false) }
            let knowledge = Knowledge(home: home, isConfirmed: true)
            known = knowledge
            return (knowledge, true)
        }
        return isFirst ? await remember(home) : now
    }

    /// Remembers a home of this path from now on, whatever was known.
    func remember(_ home: RememberedRoot) async -> Knowledge {
        let knowledge = Knowledge(home: home, isConfirmed: true)
        let before = await homes()
        let homes = [home] + before.filter { $0.path != path }
        if homes != before, let data = try? JSONEncoder().encode(homes.prefix(Self.most).map { $0 }) {
            await notes.write(Self.topic, Array(data))
        }
        known.withLock { $0 = knowledge }
        return knowledge
    }

    private func homes() async -> [RememberedRoot] {
        Self.homes(in: await notes.read(Self.topic))
    }

    static func homes(in note: [UInt8]?) -> [RememberedRoot] {
        note.flatMap { try? JSONDecoder().decode([RememberedRoot].self, from: Data($0)) } ?? []
    }
}
