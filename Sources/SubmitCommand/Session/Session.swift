internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitHTTP
internal import SubmitJournal
internal import SystemPackage

/// What every verb needs: the types, the destinations as configured, and the journal.
struct Session {
    var catalog: DestinationCatalog
    let manager: SubmitManager
    /// Why programs that were started cannot be used, by the names of their destinations.
    private let troubles = Locked<[String: SubmitFailure]>([:])

    var journal: any Store { manager.store }

    /// - Parameter isReading: nothing will be accepted, sent or changed: a journal that cannot be written will do.
    /// - Throws: a sentence on what is wrong with the configuration or the journal.
    init(places: AppPaths = AppPaths(), isReading: Bool = false) throws {
        let journal = LazyJournal(places.journal, isRead: isReading)
        try self.init(catalog: Self.catalog(places, journal), journal: journal.open())
    }

    init(catalog: DestinationCatalog, journal: Journal) throws(SubmitFailure) {
        self.catalog = catalog
        manager = SubmitManager(store: journal.store, registry: catalog.types.registry, logger: CommandLog.logger)
        if let owner = catalog.owner { manager.owner = owner }
        manager.limit(to: try catalog.bandwidth())
    }

    /// Makes the destinations at which there is anything to do and that are not there yet, and hands them out as they come
    /// to be. They are made side by side: none has to wait for another's program, or for another's secrets.
    ///
    /// - Parameter open: batches whose acceptance may have been cut off.
    func makeDestinations(open: [BatchID]) async -> AsyncStream<Destination> {
        makeDestinations(await namesToMake(open: open))
    }

    func makeDestinations(_ names: [String]) -> AsyncStream<Destination> {
        let (destinations, ready) = AsyncStream.makeStream(of: Destination.self)
        Task {
            await withTaskGroup { group in
                for name in names {
                    group.addTask {
                        // Until a program has said what it is, or somebody what he was asked.
                        await BlockingThreads.prompts.run { make(name).map { _ = ready.yield($0) } }
                    }
                }
            }
            ready.finish()
        }
        return destinations
    }

    private func make(_ name: String) -> Destination? {
        do throws(SubmitFailure) {
            let destination = try catalog.destination(name)
            manager.add(destination)
            return destination
        } catch {
            troubles.withLock { $0[name] = error }
            return nil
        }
    }

    /// Those that nothing is waiting for are not made for nothing: one that cannot be must not be in the way of others.
    func namesToMake(open: [BatchID]) async -> [String] {
        let waiting = ((try? await journal.waiting(nil)) ?? [:]).filter { $0.value.count > 0 }.keys
        let there = Set(manager.destinations.map(\.name)).union(troubles.withLock { Set($0.keys) })
        let names = await asked(in: open).union(waiting).union((try? await journal.checkpointNames()) ?? [])
            .subtracting(there)
        // What is no longer configured is told of as that.
        return names.filter { (try? catalog.canonicalName($0)) != nil }.sorted()
    }

    /// The destinations of what batches were asked for that have yet to accept some of it.
    func asked(in batches: [BatchID]) async -> Set<String> {
        var names: Set<String> = []
        for batch in batches {
            names.formUnion(((try? await manager.openRequests(of: batch)) ?? []).flatMap(\.destinations))
        }
        return names
    }

    /// The destinations alone, for verbs that need no journal.
    ///
    /// - Parameter wrap: what requests shall go through besides.
    static func catalog(
        _ places: AppPaths = AppPaths(), _ journal: LazyJournal? = nil,
        over wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws(SubmitFailure) -> DestinationCatalog {
        try DestinationCatalog(
            ProgramIdentity("submit", version: ProgramVersion.number), places, journal ?? LazyJournal(places.journal),
            passphrase: HiddenInput.line, over: wrap)
    }

    /// Why some of these destinations cannot be used at all: they are no longer configured, or not set up.
    func unusable(_ names: Set<String>) -> [String: SubmitFailure] {
        let troubles = troubles.withLock { $0 }.filter { names.contains($0.key) }
        return catalog.unusable(names.subtracting(manager.destinations.map(\.name)).subtracting(troubles.keys))
            .merging(troubles) { $1 }
    }

    /// A destination's own name, be it that it is configured or that something was once waiting for it.
    ///
    /// - Throws: for one that is neither, with the nearest names.
    func knownName(_ name: String) async throws -> String {
        try await journal.destinationNames().contains(name) ? name : catalog.canonicalName(name)
    }

    /// The destinations `--to` names, or the default ones.
    ///
    /// - Throws: for an unknown one with the nearest names, for one that is not set up with how to do that.
    func destinations(_ names: [String]) throws(SubmitFailure) -> [String] {
        var wanted = names
        if wanted.isEmpty { wanted = try catalog.defaults() }
        if wanted.isEmpty { wanted = ["file"] }
        var canonical: [String] = []
        for name in wanted {
            let destination = try catalog.destination(name)
            manager.add(destination)
            if !canonical.contains(destination.name) { canonical.append(destination.name) }
        }
        return canonical
    }
}
