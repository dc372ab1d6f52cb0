public import Submit

/// A place of its own for one case, on a destination that is only seen through its submitter. See ``LiveHarness``.
public final class LivePlace: ContractPlace {
    private struct State {
        /// All copies that receipts spoke of, and those that broken submissions would have made.
        var copies: [LiveCopy] = []
        /// What looking has stored by mistake.
        var strays: [LiveCopy] = []
        var albums: Set<String> = []
        var puts = 0
    }

    /// What the names of all items and albums of this place begin with.
    let scratch: String
    private let sample: LiveCopy?
    public let secrets: [String]
    public let partSize: Int64?
    private let make: @Sendable () async throws(SubmitFailure) -> any Submitter
    private let saw: @Sendable (Evidence) -> Void
    private let tellRemains: @Sendable ([String]) -> Void
    private let state = Locked(State())

    init(
        scratch: String, sample: LiveCopy?, secrets: [String], partSize: Int64?,
        make: @escaping @Sendable () async throws(SubmitFailure) -> any Submitter,
        saw: @escaping @Sendable (Evidence) -> Void, remains: @escaping @Sendable ([String]) -> Void
    ) {
        self.scratch = scratch
        self.sample = sample
        self.secrets = secrets
        self.partSize = partSize
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
        let number = state.withLock { state in
            state.puts += 1
            return state.puts
        }
        let source = ScriptedBytes(bytes, isFile: true)
        _ = try await makeSubmitter().submit(
            source.item(named: name), bytes: source,
            context: SubmissionContext(submission: context("put-\(number)"), onConflict: .overwrite))
    }

    /// A first item, from which is learned how receipts name their items.
    func submitSample() async throws(SubmitFailure) -> LiveCopy? {
        let source = ScriptedBytes(ScriptedBytes.content(count: 300), isFile: true)
        let receipt = try await makeSubmitter().submit(
            source.item(named: "sample.jpg"), bytes: source, context: SubmissionContext(submission: context("sample")))
        return state.withLock { $0.copies.first { $0.receipt.remoteID == receipt.remoteID } }
    }

    public func contents() async throws -> [String: [UInt8]] {
        let submitter = try await make()
        guard let presence = submitter.facets.presence else { throw NotTried("it cannot be asked what is there") }
        var contents: [String: [UInt8]] = [:]
        // Where answers do not tell apart what may be in one place, it is the latest that a receipt spoke of.
        let latest = state.withLock { $0.copies }.reversed()
        for copy in latest.filter(\.isKnown) + latest.filter({ !$0.isKnown }) where contents[copy.receipt.remoteID] == nil {
            switch await presence.presence(of: copy.item, receipt: copy.receipt) {
            case .absent: continue
            case .unknown(let sentence): throw NotTried("it cannot tell what is there: \(sentence)")
            case .present:
                if try await isProvenOther(copy, by: submitter) { continue }
                contents[copy.receipt.remoteID] = copy.bytes.content
            }
        }
        return contents
    }

    /// Whether reading a copy back shows that it holds other bytes than those.
    private func isProvenOther(_ copy: LiveCopy, by submitter: any Submitter) async throws(SubmitFailure) -> Bool {
        guard submitter.capabilities.readsBack, let name = copy.finalName else { return false }
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
        return receipt.evidence != .verified || !receipt.wasThere
    }

    public func leftovers() async throws -> [String] {
        guard let facet = try await make().facets.leftovers else { return [] }
        return try await facet.list(sparing: []).filter(owns).map(\.name)
    }

    public func remove() async {
        let (copies, albums) = state.withLock { ($0.copies + $0.strays, $0.albums) }
        var remains: [String] = []
        do throws(SubmitFailure) {
            let submitter = try await make()
            if let leftovers = submitter.facets.leftovers { remains += await removeLeftovers(by: leftovers) }
            remains += await removeCopies(copies, by: submitter)
            guard let removal = submitter.facets.removal else { return tellRemains(remains) }
            // What is within goes first.
            for album in albums.sorted(by: { $0.utf8.count > $1.utf8.count })
            where (await Result { () async throws(SubmitFailure) in try await removal.removeAlbum(album) }).isFailure {
                remains.append(album)
            }
        } catch {
            remains += copies.filter(\.isKnown).map(\.receipt.remoteID)
        }
        tellRemains(remains)
    }

    /// - Returns: what of them remains. That they cannot be listed keeps nothing else from being removed.
    private func removeLeftovers(by facet: any LeftoverFacet) async -> [String] {
        do throws(SubmitFailure) {
            var remains: [String] = []
            for leftover in try await facet.list(sparing: []).filter(owns) where (await Result {
                () async throws(SubmitFailure) in try await facet.remove(leftover)
            }).isFailure {
                remains.append(leftover.name)
            }
            return remains
        } catch {
            return ["what broken uploads may have left, which cannot be listed (\(error.sentence))"]
        }
    }

    private func removeCopies(_ copies: [LiveCopy], by submitter: any Submitter) async -> [String] {
        var remains: Set<String> = []
        var seen: Set<String> = []
        for copy in copies.filter(\.isKnown) + copies.filter({ !$0.isKnown })
        where seen.insert(copy.receipt.remoteID).inserted {
            var isGone = false
            if let removal = submitter.facets.removal {
                isGone = await Result { () async throws(SubmitFailure) in try await removal.remove(copy.receipt) }.isSuccess
            }
            if !isGone, let presence = submitter.facets.presence {
                isGone = await presence.presence(of: copy.item, receipt: copy.receipt) == .absent
            }
            if !isGone, copy.isKnown { remains.insert(copy.receipt.remoteID) }
        }
        return remains.sorted()
    }

    /// Whether it is ours to remove: a submitter on probation shall not be told to remove anything else.
    func owns(_ receipt: Receipt) -> Bool {
        receipt.remoteID.contains(scratch)
            || state.withLock { $0.copies.contains { $0.isKnown && $0.receipt.remoteID == receipt.remoteID } }
    }

    /// Whether a leftover is of this place, by what its name or its submission has of it.
    private func owns(_ leftover: Leftover) -> Bool {
        [leftover.name, leftover.id].contains { $0.contains(scratch) || $0.contains(context("")) }
    }

    // MARK: - What submitters of this place tell

    /// The name that an item gets, so that everybody sees whose it is.
    func name(_ name: String) -> String { FileName("\(scratch)-\(name)").fitted }

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
        guard let bytes = bytes as? ScriptedBytes, let sample,
            let id = sample.remoteID(ofName: item.name, album: album)
        else { return }
        let copy = LiveCopy(
            item: item, bytes: bytes, submission: submission, album: album,
            receipt: Receipt(remoteID: id, evidence: .unknown), isKnown: false)
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
        add(
            LiveCopy(
                item: item, bytes: bytes, submission: submission, album: album, receipt: receipt, isKnown: true))
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
