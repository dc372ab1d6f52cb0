internal import Glibc
internal import Submit

/// What every submitter promises, ours and anyone's.
///
/// In a test target: `@Test(arguments: ContractSuite.cases) func contract(_ promise: ContractCase) async throws {
/// try await promise.run(MyHarness()) }`. Each case gets a fresh place and is reported by its name.
public enum ContractSuite {
    public static let cases: [ContractCase] = facts + arrival + conflicts + trouble + resuming + albums
}

extension ContractPlace {
    /// Submits an invented item to a new submitter.
    func submit(
        _ bytes: ScriptedBytes, named name: String = "photo.jpg", as submission: String = "contract-1",
        album: String? = nil, onConflict: ConflictPolicy = .rename, sent: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws(SubmitFailure) -> Receipt {
        try await makeSubmitter().submit(
            bytes.item(named: name), bytes: bytes,
            context: SubmissionContext(submission: submission, album: album, onConflict: onConflict, sent: sent))
    }

    /// Complains unless exactly these copies are there and nothing else.
    func expectExactly(_ copies: [[UInt8]], after what: String) async throws {
        let contents = try await contents()
        let there = contents.values.map(\.count).sorted()
        try expect(
            contents.count == copies.count && copies.allSatisfy { copy in contents.values.contains { $0.equals(copy) } },
            "after \(what) there should be copies of \(copies.map(\.count).sorted()) bytes and there are \(there): "
                + "\(contents.keys.sorted())")
        let leftovers = try await leftovers()
        try expect(leftovers.isEmpty, "after \(what) something is left over: \(leftovers)")
    }
}

extension [UInt8] {
    /// Compares as memory: element by element takes seconds for a large copy in a debug build.
    fileprivate func equals(_ other: [UInt8]) -> Bool {
        count == other.count
            && withUnsafeBytes { mine in
                other.withUnsafeBytes { theirs in
                    guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return true }
                    return memcmp(mine, theirs, count) == 0
                }
            }
    }
}
