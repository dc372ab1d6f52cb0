internal import Submit
internal import SubmitPlatform

/// What every submitter promises, ours and anyone's.
///
/// Each case gets a fresh place and is reported by its name: see ``ContractHarness`` for how to run them in a test target.
/// What a case needs and a place or a submitter does not have ends as ``ContractOutcome/notTried(_:)``, with the reason.
/// Cases ask for no more at once than `Capabilities.ordering` allows of one submitter; several submitters on one
/// place stand for several processes.
public enum ContractSuite {
    /// All promises, one a case, in the order of subjects: facts and secrets first.
    public static let cases: [ContractCase] =
        facts + secrecy + arrival + conflicts + presence + removal + trouble + remedies + resuming + albums + repairs
}

extension ContractPlace {
    /// An invented item's bytes, of this run of the case and no other, in the form that the place's submitters read.
    ///
    /// - Throws: ``NotTried`` where the submitter takes no photo as large as that, or reads none and is to meet a fault of one.
    func bytes(
        _ media: InventedMedia = .jpeg, count: Int, seed: UInt64 = 1, fault: ScriptedBytes.Fault? = nil,
        onRead: (@Sendable (Int64) -> Void)? = nil, onVerify: (@Sendable () -> Void)? = nil
    ) async throws -> ScriptedBytes {
        if count > 1 << 20, let limit = try await makeSubmitter().capabilities.maximumSize[.photo], count > limit {
            throw NotTried(lacking: .largeItems, "it takes no photo of \(count) bytes")
        }
        if fault != nil { try await needsBytes() }
        return ScriptedBytes(
            content(media, count: count, seed: seed), fault: fault, isFile: readsFiles, onRead: onRead,
            onVerify: onVerify)
    }

    /// Where nobody reads the bytes of items, nothing that happens to them is noticed.
    func needsBytes() async throws {
        _ = try await submitter(
            with: \.keepsBytes, orLack: .bytes, "it keeps what is said of items, and not their bytes")
    }

    /// Bytes of this run of the case and no other.
    ///
    /// - Parameter owner: whose they are, as a complaint calls them; `nil`: those of the next item.
    func content(_ media: InventedMedia = .jpeg, count: Int, seed: UInt64, owner: String? = nil) -> [UInt8] {
        let bytes = media.bytes(count: count, seed: seed &+ ContractCase.salt)
        KnownBytes.ofThisRun.add(bytes, of: owner)
        return bytes
    }

    /// Submits an invented item to a new submitter.
    func submit(
        _ bytes: ScriptedBytes, named name: String = "photo.jpg", as submission: String = "contract-1",
        album: String? = nil, onConflict: ConflictPolicy = .rename, record: ObservedAttempt = ObservedAttempt()
    ) async throws(SubmitFailure) -> Receipt {
        try await makeSubmitter().submit(
            bytes.item(named: name), bytes: bytes,
            context: record.context(submission, album: album, onConflict: onConflict))
    }

    /// A submitter on this place that states this fact.
    func submitter(
        with fact: (Capabilities) -> Bool, orLack requirement: ContractRequirement, _ clause: String
    ) async throws -> any Submitter {
        let submitter = try await makeSubmitter()
        guard fact(submitter.capabilities) else { throw NotTried(lacking: requirement, clause) }
        return submitter
    }

    /// Complains unless exactly these copies are there and nothing else.
    func expectExactly(_ copies: [[UInt8]], after what: String) async throws {
        try await expectCopies(copies, after: what)
        let leftovers = try await leftovers()
        try expect(leftovers.isEmpty, "after \(what) nothing should be left over, and there is \(leftovers)")
    }

    /// Complains unless exactly these copies are there under final names.
    func expectCopies(_ copies: [[UInt8]], after what: String) async throws {
        let contents = try await contents()
        try expect(
            contents.count == copies.count
                && copies.allSatisfy { copy in contents.values.contains { $0.equals(copy) } },
            "after \(what) there should be \(KnownBytes.names(of: copies)), and there is \(KnownBytes.names(of: contents))"
        )
    }
}

extension [UInt8] {
    /// Compares as memory: element by element takes seconds for a large copy in a debug build.
    func equals(_ other: [UInt8]) -> Bool {
        count == other.count
            && withUnsafeBytes { mine in
                other.withUnsafeBytes { theirs in
                    guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return true }
                    return memcmp(mine, theirs, count) == 0
                }
            }
    }
}
