public import Submit
internal import SubmitConcurrency
public import SubmitTesting

/// What is sent to the server of a world, as the engine sends it: from one process after the other where they die.
public struct WorldErrand: Sendable, Hashable {
    public struct Item: Sendable, Hashable, CustomStringConvertible {
        public var name: String
        /// Bytes.
        public var size: Int

        public init(name: String, size: Int) { (self.name, self.size) = (name, size) }

        public var description: String { "WorldErrand.Item(name: \(String(reflecting: name)), size: \(size))" }
    }

    /// What became of an item.
    public enum End: Sendable {
        case done(Receipt)
        case failed(SubmitFailure)
    }

    private struct Owed: Sendable {
        var checkpoint: Checkpoint?
        var attempt = 0
        /// How often it was left to someone who looks.
        var holds = 0
        var end: End?
    }

    public static let mostAttempts = 20
    private static let mostProcesses = 12
    /// Someone who looks finds nothing wrong where it was wrong once, and lets it go on. More than three such things come
    /// upon one item: two troubles, and what is wrong once at each name by the manners.
    private static let mostHolds = 6

    public var items: [Item]
    public var policy: ConflictPolicy
    /// How many are under way at once.
    public var width: Int
    /// The sources are files, which may be copied by descriptor.
    public var hasFiles: Bool

    public init(items: [Item], policy: ConflictPolicy, width: Int, hasFiles: Bool = false) {
        (self.items, self.policy, self.width, self.hasFiles) = (items, policy, width, hasFiles)
    }

    /// Of each item; no two have the same bytes.
    public var sources: [ScriptedBytes] {
        items.indices.map {
            ScriptedBytes(ScriptedBytes.content(count: items[$0].size, seed: UInt64($0 + 1)), isFile: hasFiles)
        }
    }

    /// - Parameters:
    ///   - before: what became of each already; what is `nil` is sent.
    ///   - later: called when an item was tried often enough that much time must have passed.
    ///   - makeSubmitter: that of a new process.
    /// - Returns: what became of each; `nil` for what came to no end.
    public func run(
        over wire: WorldWire, after before: [End?]? = nil, later: @escaping @Sendable () -> Void = {},
        _ makeSubmitter: (WorldProcess) throws -> any Submitter
    ) async rethrows -> [End?] {
        try await run(after: before, later: later, process: { WorldProcess(wire) }, makeSubmitter)
    }

    /// The same from any processes.
    ///
    /// - Parameters:
    ///   - waitsForPeople: what waits for somebody who makes room or mends a setting is tried again, as if that was done
    ///     when it was `later`.
    ///   - process: begins a new one; the one before is dead.
    public func run<Process: MortalProcess>(
        after before: [End?]? = nil, waitsForPeople: Bool = false, later: @escaping @Sendable () -> Void,
        process begin: () -> Process, _ makeSubmitter: (Process) throws -> any Submitter
    ) async rethrows -> [End?] {
        let ledger = Locked(items.indices.map { Owed(end: before?[$0]) })
        let sources = sources
        for _ in 0..<Self.mostProcesses {
            let owed = items.indices.filter { index in ledger.withLock { $0[index].end == nil } }
            if owed.isEmpty { break }
            let process = begin()
            let submitter = try makeSubmitter(process)
            for group in stride(from: 0, to: owed.count, by: width).map({ owed[$0..<min($0 + width, owed.count)] }) {
                await withTaskGroup { tasks in
                    for index in group {
                        tasks.addTask {
                            await pay(index, sources[index], to: submitter, process, waitsForPeople, later, ledger)
                        }
                    }
                }
            }
        }
        return ledger.withLock { $0.map(\.end) }
    }

    private func pay(
        _ index: Int, _ source: ScriptedBytes, to submitter: any Submitter, _ process: any MortalProcess,
        _ waitsForPeople: Bool, _ later: @Sendable () -> Void, _ ledger: Locked<[Owed]>
    ) async {
        let (item, submission) = (source.item(named: items[index].name), "world-\(index)")
        while !process.isDead {
            let owed = ledger.withLock { ledger in
                ledger[index].attempt += 1
                return ledger[index]
            }
            let context = SubmissionContext(
                submission: submission, attempt: owed.attempt, onConflict: policy, checkpoint: owed.checkpoint,
                keep: { checkpoint in
                    // What a dead process writes down nobody reads.
                    if !process.isDead { ledger.withLock { $0[index].checkpoint = checkpoint } }
                    return .success(())
                })
            let end: End?
            do throws(SubmitFailure) {
                end = .done(try await submitter.submit(item, bytes: source, context: context))
            } catch {
                switch error.remedy {
                // Nobody cancels anything here.
                case .giveUp, .sourceLost, .outcomeUnknown, .cancelled: end = .failed(error)
                case .renewCredentials where !waitsForPeople, .hold(.misconfigured, _) where !waitsForPeople,
                    .hold(.full, _) where !waitsForPeople:
                    let holds = ledger.withLock { ledger in
                        ledger[index].holds += 1
                        return ledger[index].holds
                    }
                    end = holds >= Self.mostHolds ? .failed(error) : nil
                default: end = owed.attempt >= Self.mostAttempts ? .failed(error) : nil
                }
            }
            if owed.attempt == Self.mostAttempts / 2 { later() }
            if process.isDead { return }
            guard let end else { continue }
            if case .failed = end {
                let last = ledger.withLock { $0[index].checkpoint }
                for _ in 0..<5 where !process.isDead {
                    do throws(SubmitFailure) {
                        try await submitter.discard(
                            item,
                            context: SubmissionContext(submission: submission, onConflict: policy, checkpoint: last))
                        break
                    } catch {}
                }
                if process.isDead { return }
            }
            return ledger.withLock { $0[index].end = end }
        }
    }

    // MARK: The oracle

    /// What is broken of the promises that hold at any server.
    ///
    /// - Parameters:
    ///   - copies: what the server holds under final names, by path.
    ///   - content: what an address of a receipt leads to.
    ///   - isHonest: it does not make other bytes of what it was given.
    public func complaints(
        about ends: [End?], copies: [[UInt8]: [UInt8]], isHonest: Bool, over wire: WorldWire,
        content: (String) -> [UInt8]?
    ) -> [String] {
        complaints(about: ends, copies: copies, isHonest: isHonest, content: content)
            + (wire.count > WorldWire.mostRequests ? ["\(wire.count) requests"] : [])
    }

    /// The same at any place, however often it was asked.
    public func complaints(
        about ends: [End?], copies: [[UInt8]: [UInt8]], isHonest: Bool, content: (String) -> [UInt8]?
    ) -> [String] {
        var complaints: [String] = []
        for (index, (end, source)) in zip(ends, sources).enumerated() {
            let name = String(reflecting: items[index].name)
            let found = copies.filter { $0.value == source.content }.keys.map { String(decoding: $0, as: UTF8.self) }
                .sorted()
            if found.count > 1 { complaints.append("\(name) is there \(found.count) times: \(found)") }
            switch end {
            case nil: complaints.append("\(name) came to no end")
            case .failed(let failure):
                if !found.isEmpty, failure.code != "astray" {
                    complaints.append("\(name) is there as \(found), and failed (\(failure.code)): \(failure)")
                }
            case .done(let receipt):
                // As the journal knows what was skipped.
                if receipt.wasThere, receipt.evidence == .unknown, receipt.note != nil {
                    if policy != .skip { complaints.append("\(name) was skipped, by \(policy)") }
                    break
                }
                // Another item of ours may have come there since, where that is asked for.
                let others = items.indices.filter { $0 != index }.map { items[$0].name }
                if policy == .overwrite, others.contains(items[index].name) || others.contains(receipt.remoteID) {
                    break
                }
                let there = content(receipt.remoteID)
                if there != source.content, [.verified, .echoed].contains(receipt.evidence) || isHonest {
                    let what = there.map { "\($0.count) other bytes are" } ?? "nothing is"
                    complaints.append(
                        "\(name) is \(receipt.evidence) as \(String(reflecting: receipt.remoteID)), where \(what)")
                }
            }
        }
        return complaints
    }

    /// What is broken of the promise that others keep what they have.
    ///
    /// - Parameters:
    ///   - before: theirs, by path.
    ///   - content: what an address leads to.
    public func complaints(
        theirs before: [[UInt8]: [UInt8]], copies: [[UInt8]: [UInt8]], isHonest: Bool, content: (String) -> [UInt8]?
    ) -> [String] {
        before.filter { copies[$0.key] != $0.value }.compactMap { path, _ in
            let name = String(decoding: path, as: UTF8.self)
            // What a server that lies makes of what is meant is its own affair.
            let isMeant = policy == .overwrite && items.contains { $0.name == name }
            let now = content(name)
            if isMeant, !isHonest || sources.contains(where: { $0.content == now }) { return nil }
            return "what others have at \(String(reflecting: name)) is \(copies[path] == nil ? "gone" : "another")"
        }
    }
}

extension WorldErrand: CustomStringConvertible {
    /// Up to four items, with these names.
    public static func drawn(_ names: [String], sizes: [Int], _ numbers: inout SeededNumbers) -> WorldErrand {
        var items: [Item] = []
        for index in 0..<Int.random(in: 1...4, using: &numbers) {
            // Two of one name, at times.
            let name = index > 0 && Int.random(in: 0..<4, using: &numbers) == 0 ? names[0] : names[index]
            items.append(Item(name: name, size: (sizes.randomElement(using: &numbers) ?? 1) + index))
        }
        let policies: [ConflictPolicy] = [.rename, .rename, .overwrite, .skip, .fail]
        return WorldErrand(
            items: items, policy: policies.randomElement(using: &numbers) ?? .rename,
            width: .random(in: 1...3, using: &numbers))
    }

    /// The same with one thing less, in all ways.
    public var smaller: [WorldErrand] {
        var all: [WorldErrand] = []
        func add(_ change: (inout WorldErrand) -> Void) {
            var errand = self
            change(&errand)
            if errand != self { all.append(errand) }
        }
        if items.count > 1 { for index in items.indices { add { $0.items.remove(at: index) } } }
        add { $0.width = 1 }
        for index in items.indices where items[index].size > 300 + index { add { $0.items[index].size = 300 + index } }
        add { $0.policy = .rename }
        add { $0.hasFiles = false }
        return all
    }

    public var description: String {
        "WorldErrand(items: \(items), policy: .\(policy), width: \(width)\(hasFiles ? ", hasFiles: true" : ""))"
    }
}
