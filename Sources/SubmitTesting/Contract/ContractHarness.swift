public import Submit

/// What the contract suite needs to know of a kind of submitter: how to get a place for it.
///
/// The smallest harness is a place with a dictionary or a folder behind it: ``ContractPlace`` says what it must tell.
/// In a test target:
///
/// ```swift
/// @Test(arguments: ContractSuite.cases)
/// func `it keeps the contract`(_ promise: ContractCase) async throws {
///     try await promise.run(MyHarness(), leavingOut: [.albums])
/// }
/// ```
///
/// A place that nobody can look at from outside, such as an account, needs none of this: see ``LiveHarness``.
public protocol ContractHarness: Sendable {
    /// Makes a fresh, empty place. Called once for each case; cases may run side by side.
    ///
    /// - Throws: why there is none, which fails the case.
    func makePlace() async throws -> any ContractPlace
}

/// A place that a submitter puts copies on, seen from outside.
///
/// Seven members must be given; all others have a default that says “this cannot be told”, and cases that need them
/// end as ``ContractOutcome/notTried(_:)``. Each member may throw ``NotTried`` itself.
public protocol ContractPlace: Sendable {
    /// A submitter on this place. Every call makes a new one, as another process would.
    ///
    /// - Throws: what is wrong with the settings that the place gave it, which fails the case.
    func makeSubmitter() async throws(SubmitFailure) -> any Submitter

    /// What is there under final names: path and bytes. Read by other means than the submitter.
    ///
    /// - Throws: ``NotTried`` where nobody can tell, which ends the case as not tried; any other error fails it.
    func contents() async throws -> [String: [UInt8]]

    /// What is there besides: names of temporaries, parts, open uploads.
    ///
    /// - Throws: ``NotTried`` where nobody can tell, which ends the case as not tried; any other error fails it.
    func leftovers() async throws -> [String]

    /// Puts bytes there, as someone else would, under the path an item of this name gets. What is there is replaced.
    ///
    /// - Throws: ``NotTried`` where nobody else can put anything there; any other error fails the case.
    func put(_ bytes: [UInt8], named name: String) async throws

    /// Whether bytes that differ from the item's digest are noticed, so that such a submission fails.
    var checksDigests: Bool { get }

    /// Secrets the submitter was given; they must never show. Choose some that no other text contains.
    var secrets: [String] { get }

    /// Removes the place. Called once, whatever came of the case.
    func remove() async

    /// Makes the place fail from now on, or makes another one that does.
    ///
    /// - Returns: a submitter that meets the fault; `nil` where this fault cannot be made.
    /// - Throws: ``NotTried`` in place of `nil`, with a reason of its own; any other error fails the case.
    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)?

    /// The same, but only when the submitter has made so many requests: 0 is the first of them. A reply is lost once, all
    /// other faults stay.
    ///
    /// - Returns: `nil` where that fault cannot be made, or no request be told from another.
    /// - Throws: ``NotTried`` in place of `nil`, with a reason of its own; any other error fails the case.
    func submitter(meeting fault: ContractFault, atRequest number: Int) async throws -> (any Submitter)?

    /// Whether a request met the fault that was made last.
    var hasMetFault: Bool { get }

    /// Ends the fault that was made last, if there is one.
    ///
    /// - Throws: why it goes on, which fails the case.
    func endFault() async throws

    /// How many bytes of items the place has taken so far, whatever became of them; `nil` where it does not count.
    var bytesTaken: Int64? { get }

    /// The most items whose bytes were ever on their way to the place at once; `nil` where it does not count.
    var widest: Int? { get }

    /// The size of the parts that large items are sent in, in bytes; `nil` where that is not known: then 8 MiB is tried.
    var partSize: Int64? { get }

    /// Submitters on this place read items by path or descriptor and never call `MediaBytes.read(into:at:)`, so that
    /// the invented items must be files.
    var readsFiles: Bool { get }

    /// All that its submitters have written as `DestinationNotes`, such as a ``RecordingNotes`` has it.
    var notes: [[UInt8]] { get }
}

extension ContractPlace {
    public func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? { nil }
    public func submitter(meeting fault: ContractFault, atRequest number: Int) async throws -> (any Submitter)? { nil }
    public var hasMetFault: Bool { true }
    public func endFault() async throws {}
    public var bytesTaken: Int64? { nil }
    public var widest: Int? { nil }
    public var partSize: Int64? { nil }
    public var readsFiles: Bool { false }
    public var notes: [[UInt8]] { [] }
}

/// What can be wrong with a place, and how that is called where one is told to make it.
public enum ContractFault: String, Sendable, Hashable, CaseIterable {
    /// Nobody answers: a port where nothing listens, a share that is not mounted.
    case unreachable
    /// The credentials are refused.
    case refusesCredentials = "credentials"
    /// There is no room for the item, which has 3 MiB.
    case full
    /// It asks to be asked less often, such as by HTTP's 429.
    case throttled
    /// It answers, and what is configured is not there or is none: no such bucket, a file where a folder should be.
    case misconfigured
    /// The first copy is stored *on this place*, and the answer that says so is lost; from then on all is well.
    case losesReply = "lost-reply"
}
