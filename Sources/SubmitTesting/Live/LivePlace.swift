public import Submit
internal import SubmitConcurrency

/// What was found out before the first case.
struct LiveBeginning: Sendable {
    let scratchName: String
    /// The first item; `nil` until it is known how receipts name their items.
    var sample: LiveCopy?
    /// The albums that others have; `nil` where they cannot be listed.
    var albums: Set<String>?
}

/// A place of its own for one case, on a destination that is only seen through its submitter. See ``LiveHarness``.
public final class LivePlace: ContractPlace {
    private struct State {
        /// All copies that receipts spoke of, and those that broken submissions would have made.
        var copies: [LiveCopy] = []
        /// What looking has stored by mistake.
        var strays: [LiveCopy] = []
        var albums: Set<String> = []
        var puts = 0
        /// How often each submission was tried.
        var tries: [String: Int] = [:]
        /// What may have come there by a try of which nobody heard, and may have been there before.
        var doubtful: Set<String> = []
        /// What made the last fault.
        var faulty: (any LiveFaults)?
    }

    /// What the names of all items and albums of this place begin with.
    let scratch: String
    private let before: LiveBeginning
    public let secrets: [String]
    public let partSize: Int64?
    private let faults: [any LiveFaults]
    private let make: @Sendable () async throws(SubmitFailure) -> any Submitter
    private let saw: @Sendable (Evidence) -> Void
    private let tellRemains: @Sendable ([String]) -> Void
    private let state = Locked(State())

    init(
        scratch: String, before: LiveBeginning, secrets: [String], partSize: Int64?, faults: [any LiveFaults],
        make: @escaping @Sendable () async throws(SubmitFailure) -> any Submitter,
        saw: @escaping @Sendable (Evidence) -> Void, remains: @escaping @Sendable ([String]) -> Void
    ) {
        self.scratch = scratch
        self.before = before
        self.secrets = secrets
        self.partSize = partSize
        self.faults = faults
        self.make = make
        self.saw = saw
        tellRemains = remains
    }

    /// Whoever is asked to prove by digests what came cannot be told apart live from who believes what it reads.
    public var checksDigests: Bool { false }
    /// Some submitters hand paths on, and a file harms nobody.
    public var readsFiles: Bool { true }

    public func makeSubmitter() async throws(SubmitFailure) -> any Submitter {
        LiveSubmitter(inner: try await make(), place: self)
    }

    public func put(_ bytes: [UInt8], named name: String) async throws {
        if let why = reasonNotToReplace { throw why }
        let number = state.withLock { state in
            state.puts += 1
            return state.puts
        }
        let source = ScriptedBytes(bytes, isFile: true)
        _ = try await makeSubmitter().submit(
            source.item(named: name), bytes: source,
            context: SubmissionContext(submission: context("put-\(number)"), onConflict: .overwrite))
    }

    /// Why nothing may be replaced here: where names are not ours, it might be somebody's photo.
    var reasonNotToReplace: NotTried? {
        guard let sample = before.sample, sample.receipt.remoteID.contains(before.scratchName) else {
            return NotTried(
                lacking: .otherWriter,
                "its copies do not bear the names of their items, and somebody's might be replaced")
        }
        return nil
    }

    /// What the first item is named there.
    var sampleName: String { name("sample.jpg") }

    /// A first item, from which is learned how receipts name their items.
    func submitSample() async throws(SubmitFailure) -> LiveCopy? {
        let source = ScriptedBytes(InventedMedia.jpeg.bytes(count: 300, seed: .random(in: .min ... .max)), isFile: true)
        let (item, record) = (source.item(named: "sample.jpg"), ObservedAttempt())
        let submitter = try await makeSubmitter()
        let receipt: Receipt
        do throws(SubmitFailure) {
            receipt = try await submitter.submit(item, bytes: source, context: record.context("sample"))
        } catch {
            // Nobody takes it up again. That it failed is told already.
            _ = await Task { [checkpoint = record.checkpoint] in
                await Result { () async throws(SubmitFailure) in
                    try await submitter.discard(item, context: ObservedAttempt().context("sample", from: checkpoint))
                }
            }.value
            throw error
        }
        return state.withLock { $0.copies.first { $0.receipt.remoteID == receipt.remoteID } }
    }

    public func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        try await submitter(meeting: fault, after: nil)
    }

    public func submitter(meeting fault: ContractFault, atRequest number: Int) async throws -> (any Submitter)? {
        try await submitter(meeting: fault, after: number)
    }

    private func submitter(meeting fault: ContractFault, after requests: Int?) async throws -> (any Submitter)? {
        try await endFault()
        for faults in faults {
            // Also what fails to be made has to be ended.
            state.withLock { $0.faulty = faults }
            if try await faults.make(fault, after: requests) { return try await makeSubmitter() }
        }
        return nil
    }

    public var hasMetFault: Bool { state.withLock { $0.faulty }?.hasMetFault ?? true }

    public func endFault() async throws {
        guard let faulty = state.withLock({ $0.faulty }) else { return }
        try await faulty.end()
        state.withLock { $0.faulty = nil }
    }

    public func contents() async throws -> [String: [UInt8]] {
        try await endFault()
        let submitter = try await make()
        guard let presence = submitter.facets.presence else {
            throw NotTried(lacking: .contents, "it cannot be asked what is there")
        }
        var contents: [String: [UInt8]] = [:]
        // Where answers do not tell apart what may be in one place, it is the latest that a receipt spoke of.
        let latest = state.withLock { $0.copies }.reversed()
        for copy in latest.filter(\.isKnown) + latest.filter({ !$0.isKnown })
        where contents[copy.receipt.remoteID] == nil && !isStray(copy) {
            switch await presence.presence(of: copy.item, receipt: copy.receipt) {
            case .absent, .changed: continue
            case .unknown(let sentence): throw NotTried(lacking: .contents, "it cannot tell what is there: \(sentence)")
            case .present:
                if try await isProvenOther(copy, by: submitter) { continue }
                contents[copy.receipt.remoteID] = copy.bytes.content
            }
        }
        return contents
    }

    /// Whether what is in its place now was brought there by looking.
    private func isStray(_ copy: LiveCopy) -> Bool {
        state.withLock { $0.strays.contains { $0.receipt.remoteID == copy.receipt.remoteID } }
    }

    /// Whether reading a copy back shows that it holds other bytes than those.
    private func isProvenOther(_ copy: LiveCopy, by submitter: any Submitter) async throws(SubmitFailure) -> Bool {
        guard submitter.capabilities.canReadBack, let name = copy.finalName else { return false }
        var item = copy.item
        item.name = name
        let receipt = try await submitter.submit(
            item, bytes: copy.bytes,
            context: SubmissionContext(
                submission: copy.submission, attempt: 2, album: copy.album, onConflict: .skip, verification: .readback))
        if !receipt.wasThere {
            // It was brought by looking, and goes with the rest.
            var stray = copy
            (stray.item, stray.receipt, stray.isKnown) = (item, receipt, true)
            state.withLock { [stray] in $0.strays.append(stray) }
        }
        guard receipt.remoteID == copy.receipt.remoteID else { return false }
        // What had to be stored for it was not there.
        return receipt.evidence != .verified || !receipt.wasThere
    }

    public func leftovers() async throws -> [String] {
        try await endFault()
        guard let facet = try await make().facets.leftovers else { return [] }
        do throws(SubmitFailure) {
            return try await facet.list(sparing: []).filter(owns).map(\.name)
        } catch {
            throw NotTried(lacking: .leftovers, error.message)
        }
    }

    public func remove() async {
        // What cannot be ended shows in what remains.
        try? await endFault()
        let (copies, albums) = state.withLock { ($0.copies + $0.strays, $0.albums) }
        let submitter: any Submitter
        do throws(SubmitFailure) {
            submitter = try await make()
        } catch {
            return tellRemains(copies.filter { $0.isKnown && $0.isOurs }.map(\.receipt.remoteID))
        }
        var remains = await removeLeftovers(by: submitter)
        remains += await removeCopies(copies, by: submitter)
        remains += state.withLock { $0.doubtful }.map { "\($0), if it was not there before" }
        if let removal = submitter.facets.removal {
            let (folders, doubtful) = folders(of: copies)
            remains += await remove(albums: albums.union(folders), of: submitter, by: removal)
            remains += doubtful.subtracting(albums).map { "the folder \($0), if it was not there before" }
        }
        tellRemains(remains)
    }

    private func removeLeftovers(by submitter: any Submitter) async -> [String] {
        guard let facet = submitter.facets.leftovers else { return [] }
        let all: [Leftover]
        do throws(SubmitFailure) {
            all = try await facet.list(sparing: [])
        } catch {
            return ["what broken uploads may have left, which cannot be listed (\(error.message))"]
        }
        var remains: [String] = []
        for leftover in all.filter(owns)
        where (await Result { () async throws(SubmitFailure) in try await facet.remove(leftover) }).isFailure {
            remains.append(leftover.name)
        }
        return remains
    }

    /// What is within goes first.
    private func remove(
        albums: Set<String>, of submitter: any Submitter, by removal: any RemovalFacet
    ) async -> [String] {
        var remains: Set<String> = []
        for album in albums.sorted(by: { $0.utf8.count > $1.utf8.count })
        where (await Result { () async throws(SubmitFailure) in try await removal.removeAlbum(album) }).isFailure {
            remains.insert(album)
        }
        // One with something in it stays, and that is no failure.
        if let facet = submitter.facets.albums,
            case .success(let listed) = await Result({ () async throws(SubmitFailure) in try await facet.list() })
        {
            remains.formUnion(albums.intersection(listed))
        }
        return remains.sorted()
    }

    /// The folders that a path template made, such as those of a year and a month. Those that were there before are
    /// others'; where nobody can tell, they are doubtful.
    private func folders(of copies: [LiveCopy]) -> (ours: Set<String>, doubtful: Set<String>) {
        var folders: Set<String> = []
        for copy in copies where copy.isKnown && copy.isOurs {
            let parts = copy.receipt.remoteID.split(separator: "/").dropLast()
            for count in parts.indices { folders.insert(parts[...count].joined(separator: "/")) }
        }
        return before.albums.map { (folders.subtracting($0), []) } ?? ([], folders)
    }

    private func removeCopies(_ copies: [LiveCopy], by submitter: any Submitter) async -> [String] {
        var remains: Set<String> = []
        var seen: Set<String> = []
        for copy in copies.filter(\.isKnown) + copies.filter({ !$0.isKnown })
        where owns(copy.receipt) && seen.insert(copy.receipt.remoteID).inserted {
            var isGone = false
            if let removal = submitter.facets.removal {
                isGone = await Result { () async throws(SubmitFailure) in try await removal.remove(copy.receipt) }
                    .isSuccess
            }
            if !isGone, let presence = submitter.facets.presence {
                switch await presence.presence(of: copy.item, receipt: copy.receipt) {
                case .absent, .changed: isGone = true
                case .present, .unknown: break
                }
            }
            if !isGone, copy.isKnown { remains.insert(copy.receipt.remoteID) }
        }
        return remains.sorted()
    }

    /// Whether it is ours to remove: a submitter on probation shall not be told to remove anything else.
    func owns(_ receipt: Receipt) -> Bool {
        receipt.remoteID.contains(scratch)
            || state.withLock {
                $0.copies.contains { $0.isKnown && $0.isOurs && $0.receipt.remoteID == receipt.remoteID }
            }
    }

    /// Whether a leftover is of this place, by what its name or its submission has of it.
    private func owns(_ leftover: Leftover) -> Bool {
        [leftover.name, leftover.id].contains { $0.contains(scratch) || $0.contains(context("")) }
    }

    // MARK: - What submitters of this place tell

    /// The name that an item gets, so that everybody sees whose it is.
    func name(_ name: String) -> String { FileName("\(scratch)-\(name)").fitted() }

    func album(_ album: String) -> String {
        var parts = album.split(separator: "/").map(String.init)
        parts.insert(scratch, at: 0)
        state.withLock { state in
            for count in 1...parts.count { state.albums.insert(parts[..<count].joined(separator: "/")) }
        }
        return parts.joined(separator: "/")
    }

    /// What an identity of a submission becomes: others may have left something under that of the suite.
    func context(_ submission: String) -> String {
        String("\(scratch.dropFirst("submit-contract-".count))-\(submission)".suffix(40))
    }

    /// Remembers where a submission may put its copy, in case that it does and does not say so.
    func begins(_ item: MediaItem, _ bytes: any MediaBytes, _ submission: String, album: String?) {
        state.withLock { $0.tries[submission, default: 0] += 1 }
        guard let bytes = bytes as? ScriptedBytes, let sample = before.sample,
            let id = sample.remoteID(ofName: item.name, album: album)
        else { return }
        let copy = LiveCopy(
            item: item, bytes: bytes, submission: submission, album: album,
            receipt: Receipt(remoteID: id, evidence: .unknown), isKnown: false, isOurs: true)
        add(copy)
        // A submitter that takes less for the whole would store this.
        if let shortened = bytes.shortened {
            var short = copy
            (short.bytes, short.item) = (shortened, shortened.item(named: item.name))
            add(short)
        }
    }

    func ends(_ item: MediaItem, _ bytes: any MediaBytes, _ submission: String, album: String?, _ receipt: Receipt) {
        // What is skipped is another's.
        guard let bytes = bytes as? ScriptedBytes, receipt.evidence != .unknown || receipt.note == nil else { return }
        saw(receipt.evidence)
        var isOurs = !receipt.wasThere || owns(receipt)
        if !isOurs, state.withLock({ $0.tries[submission] ?? 0 }) > 1 {
            // Nobody else has these bytes: a try before, whose reply was lost, brought them.
            isOurs = receipt.evidence == .verified || isCalled(receipt.remoteID, byBytesOf: item)
            if !isOurs { state.withLock { _ = $0.doubtful.insert(receipt.remoteID) } }
        }
        add(
            LiveCopy(
                item: item, bytes: bytes, submission: submission, album: album, receipt: receipt, isKnown: true,
                isOurs: isOurs))
    }

    /// A name that has a digest in it is that of its bytes, which nobody else has unless they are very few.
    private func isCalled(_ remoteID: String, byBytesOf item: MediaItem) -> Bool {
        item.size >= 100 && item.digests.hexadecimal(.sha256).map(remoteID.lowercased().contains) ?? false
    }

    private func add(_ copy: LiveCopy) {
        state.withLock { $0.copies.append(copy) }
    }
}

extension LivePlace: CustomReflectable {
    /// The submitters of this place are described by what they are, without the secrets that nobody must find in them.
    public var customMirror: Mirror { Mirror(self, children: ["scratch": scratch]) }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
    fileprivate var isFailure: Bool { !isSuccess }
}
