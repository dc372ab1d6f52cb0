internal import Foundation
public import Submit
public import SubmitEngine
internal import SubmitStore
public import SystemPackage

/// Finds out from the journal what there is to be told, and tells it: each cause once to each channel, and once more when it is
/// over. What was found is written down before it is told, so that a process that is killed loses nothing; one that is killed
/// while a channel takes something tells that once more, by the same ``News/id``.
///
/// Several processes on one journal take turns.
public struct NewsDesk: Sendable {
    private let store: any Store
    private let folder: FilePath
    private let channels: [any NewsChannel]
    private let kinds: Set<News.Kind>
    private let clock: @Sendable () -> Timestamp

    /// How long a destination is on hold until that is told.
    private static let patience = Duration.seconds(3600)
    /// Batches that end soon one after the other are told of together.
    private static let lull = Duration.seconds(30)
    /// Though others go on ending.
    private static let longestLull = Duration.seconds(600)
    /// After so many days a channel that takes nothing gets it no more.
    private static let longest = Duration.seconds(3 * 86_400)
    private static let pauses: [Duration] = [.seconds(10), .seconds(60), .seconds(300), .seconds(1800), .seconds(3600)]

    /// - Parameters:
    ///   - folder: the journal's, where the locks are that processes share.
    ///   - channels: who is told.
    ///   - kinds: of what.
    public init(
        _ manager: SubmitManager, locksIn folder: FilePath, channels: [any NewsChannel],
        kinds: Set<News.Kind> = Set(News.Kind.allCases)
    ) {
        self.init(manager, locksIn: folder, channels: channels, kinds: kinds, clock: { .now })
    }

    init(
        _ manager: SubmitManager, locksIn folder: FilePath, channels: [any NewsChannel], kinds: Set<News.Kind>,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (store, self.folder, self.channels, self.kinds, self.clock) = (manager.store, folder, channels, kinds, clock)
    }

    /// Looks once for what is new, and tells what is due, unless somebody else is at it.
    ///
    /// - Parameter atOnce: batches that have ended are told of without waiting for others that may end soon.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func work(atOnce: Bool = false) async throws(SubmitFailure) {
        let lull = atOnce ? Duration.zero : Self.lull
        try await change { (ledger) async throws(SubmitFailure) in try await collect(&ledger, lull, now: clock()) }
        // Whoever is at it tells this, too, or somebody the next time.
        guard let telling = try FileLock.free(folder.appending("news-telling.lock")) else { return }
        try await tell()
        withExtendedLifetime(telling) {}
    }

    /// Looks once for what is new, and tells nobody yet: what ends from now on is news.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func look() async throws(SubmitFailure) {
        try await change { (ledger) async throws(SubmitFailure) in try await collect(&ledger, Self.lull, now: clock()) }
    }

    /// Adds what the journal does not say by itself.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func post(_ news: News) async throws(SubmitFailure) {
        try await change { (ledger) async throws(SubmitFailure) in
            add(news, &ledger)
            return true
        }
    }

    /// Adds what an audit found.
    ///
    /// - Parameters:
    ///   - losses: how many copies have vanished or were changed, by destination.
    ///   - all: destinations of which all copies were asked for: what is not lost there any more is over.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func post(losses: [String: Int], ofAllAt all: Set<String>) async throws(SubmitFailure) {
        try await change { (ledger) async throws(SubmitFailure) in
            for name in all.union(losses.keys).sorted() {
                let (before, now) = (ledger.losses[name] ?? 0, losses[name] ?? 0)
                let id = "loss-\(store.identity)-\(name)-\(clock().nanoseconds)"
                if now > before {
                    let copies = now == 1 ? "1 copy is" : "\(now) copies are"
                    let message =
                        "\(copies) lost or changed at “\(name)”: repair it to send them again."
                    add(News(.loss, id: id, destination: name, message), &ledger)
                } else if now == 0, before > 0, all.contains(name) {
                    add(
                        News(.loss, id: id, isOver: true, destination: name, "All copies are at “\(name)” again."),
                        &ledger)
                }
                if now > before || all.contains(name) { ledger.losses[name] = now == 0 ? nil : now }
            }
            return true
        }
    }

    /// - Parameter body: says whether anything is to be written down.
    private func change(
        _ body: (inout NewsLedger) async throws(SubmitFailure) -> Bool
    ) async throws(SubmitFailure) {
        let held = try await FileLock.waiting(folder.appending("news.lock"))
        var ledger = try await NewsLedger.read(store)
        if try await body(&ledger) { try await ledger.write(store) }
        withExtendedLifetime(held) {}
    }

    private func add(_ news: News, _ ledger: inout NewsLedger) {
        guard kinds.contains(news.kind), !ledger.pending.contains(where: { $0.news.id == news.id }) else { return }
        ledger.pending.append(NewsLedger.Pending(news: news, channels: Set(channels.map(\.name))))
    }

    // MARK: What there is

    /// - Returns: whether anything is to be written down.
    private func collect(
        _ ledger: inout NewsLedger, _ lull: Duration, now: Timestamp
    ) async throws(SubmitFailure) -> Bool {
        let hasBatches = try await collectBatches(&ledger, lull, now)
        let hasHolds = try await collectHolds(&ledger, now)
        return hasBatches || hasHolds
    }

    private func collectBatches(
        _ ledger: inout NewsLedger, _ lull: Duration, _ now: Timestamp
    ) async throws(SubmitFailure) -> Bool {
        let unfinished = Set(try await store.unfinishedBatches().map(\.rawValue))
        let newest = try await store.batches(before: nil, limit: 1).first?.id.rawValue ?? 0
        guard let seen = ledger.newest else {
            // What was before anybody wanted to hear of it is no news.
            (ledger.newest, ledger.open) = (newest, unfinished)
            return true
        }
        let new = newest > seen ? Set((seen + 1...newest)) : []
        let ended = ledger.open.union(new).subtracting(unfinished)
        let isChanged = !ended.isEmpty || newest != seen || ledger.open != unfinished
        (ledger.newest, ledger.open) = (newest, unfinished)
        // Those that got nothing of their own are forgotten.
        let there = try await store.batches(ended.map { BatchID(rawValue: $0) }).map(\.id.rawValue)
        if !there.isEmpty {
            if ledger.done.isEmpty { ledger.doneFrom = now }
            ledger.done += there.sorted()
            ledger.doneSince = now
        }
        guard !ledger.done.isEmpty, let since = ledger.doneSince,
            since.duration(to: now) >= lull || (ledger.doneFrom ?? now).duration(to: now) >= Self.longestLull
        else { return isChanged }
        add(try await batchNews(ledger.done, since, now), &ledger)
        (ledger.done, ledger.doneSince, ledger.doneFrom) = ([], nil, nil)
        return true
    }

    private func batchNews(_ batches: [Int64], _ since: Timestamp, _ now: Timestamp) async throws(SubmitFailure) -> News
    {
        var counts: [String: [SubmissionState: Int]] = [:]
        for batch in batches {
            for tally in try await store.tallies(SubmissionSelection(batch: BatchID(rawValue: batch))) {
                counts[tally.destination, default: [:]][tally.state, default: 0] += tally.count
            }
        }
        let parts = counts.sorted { $0.key < $1.key }.map { name, states in
            let words = [(SubmissionState.done, "done"), (.failed, "failed"), (.cancelled, "cancelled")].compactMap {
                state, word in
                states[state].map { "\($0) \(word)" }
            }
            return "\(name): \(words.joined(separator: ", "))"
        }
        let numbers = batches.prefix(10).map(String.init).joined(separator: ", ")
        let others = batches.count > 10 ? " and \(batches.count - 10) others" : ""
        let name = batches.count == 1 ? "Batch \(batches[0])" : "Batches \(numbers)\(others)"
        return News(
            .batchDone, id: "batch-done-\(store.identity)-\(batches.max() ?? 0)-\(since.nanoseconds)", batches: batches,
            "\(name): \(parts.joined(separator: "; ")).", at: now)
    }

    private func collectHolds(_ ledger: inout NewsLedger, _ now: Timestamp) async throws(SubmitFailure) -> Bool {
        var isChanged = false
        let states = try await store.destinationStates()
        let waiting = try await store.waiting(nil)
        for state in states {
            guard let hold = state.hold, !state.isPaused, waiting[state.name].map({ $0.count > 0 }) ?? false else {
                continue
            }
            var cause = ledger.holds[state.name]
            if cause == nil {
                cause = NewsLedger.Cause(since: now)
                isChanged = true
            }
            guard var known = cause else { continue }
            let needsLogin = hold.reason == nil
            // What was told of is not what it waits for now.
            if let told = known.told, told.hasPrefix(News.Kind.loginNeeded.rawValue) != needsLogin {
                known = NewsLedger.Cause(since: now)
                isChanged = true
            }
            if known.told == nil, needsLogin || known.since.duration(to: now) >= Self.patience {
                let kind = needsLogin ? News.Kind.loginNeeded : .onHold
                let id = "\(kind.rawValue)-\(store.identity)-\(state.name)-\(known.since.nanoseconds)"
                let start = needsLogin ? "“\(state.name)” waits for you" : "“\(state.name)” cannot be used for an hour"
                add(News(kind, id: id, destination: state.name, "\(start): \(hold.message)", at: now), &ledger)
                known.told = id
                isChanged = true
            }
            ledger.holds[state.name] = known
        }
        let held = Set(states.filter { $0.hold != nil }.map(\.name))
        for (name, cause) in ledger.holds where !held.contains(name) {
            ledger.holds[name] = nil
            isChanged = true
            guard let told = cause.told else { continue }
            let kind = told.hasPrefix(News.Kind.loginNeeded.rawValue) ? News.Kind.loginNeeded : .onHold
            if let index = ledger.pending.firstIndex(where: { $0.news.id == told && $0.tries == 0 }) {
                // Nobody has heard that it began.
                ledger.pending.remove(at: index)
            } else {
                add(
                    News(
                        kind, id: told + "-over", isOver: true, destination: name, "“\(name)” can be used again.",
                        at: now), &ledger)
            }
        }
        return isChanged
    }

    // MARK: Telling

    private func tell() async throws(SubmitFailure) {
        let ledger = try await NewsLedger.read(store)
        for pending in ledger.pending where pending.notBefore <= clock() {
            // Who finds that it is over meanwhile must not take it for untold.
            try await change { (ledger) async throws(SubmitFailure) in
                guard let index = ledger.pending.firstIndex(where: { $0.news.id == pending.news.id }) else {
                    return false
                }
                ledger.pending[index].tries += 1
                return true
            }
            var heard: Set<String> = []
            for channel in channels where pending.channels.contains(channel.name) {
                do throws(SubmitFailure) {
                    try await channel.tell(pending.news)
                    heard.insert(channel.name)
                } catch {
                    if error.remedy == .cancelled { return }
                    if error.remedy == .giveUp { heard.insert(channel.name) }
                }
            }
            try await change { (ledger) async throws(SubmitFailure) in
                note(heard, of: pending.news, in: &ledger)
                return true
            }
        }
    }

    private func note(_ heard: Set<String>, of news: News, in ledger: inout NewsLedger) {
        guard let index = ledger.pending.firstIndex(where: { $0.news.id == news.id }) else { return }
        // A channel that is gone from the configuration is not waited for.
        ledger.pending[index].channels = ledger.pending[index].channels.subtracting(heard).intersection(
            channels.map(\.name))
        let now = clock()
        if ledger.pending[index].channels.isEmpty || news.time.duration(to: now) > Self.longest {
            ledger.pending.remove(at: index)
        } else {
            let pause = Self.pauses[min(max(0, ledger.pending[index].tries - 1), Self.pauses.count - 1)]
            ledger.pending[index].notBefore = now.advanced(by: pause)
        }
    }
}
