public import Submit

/// What the contract suite needs to know of a kind of submitter.
public protocol ContractHarness: Sendable {
    /// Makes a fresh, empty place.
    func makePlace() async throws -> any ContractPlace
}

/// A place that a submitter puts copies on, seen from outside.
public protocol ContractPlace: Sendable {
    /// A submitter on this place. Every call makes a new one, as another process would.
    func makeSubmitter() throws(SubmitFailure) -> any Submitter

    /// What is there under final names: path and bytes. Read by other means than the submitter.
    func contents() async throws -> [String: [UInt8]]

    /// What is there besides: names of temporaries, parts, open uploads.
    func leftovers() async throws -> [String]

    /// Puts bytes there, as someone else would, under the path an item of this name gets.
    func put(_ bytes: [UInt8], named name: String) async throws

    /// How many bytes of items the place has taken so far, whatever became of them; `nil` where it does not count.
    var bytesTaken: Int64? { get }

    /// Whether the place refuses bytes that differ from their digest.
    var checksDigests: Bool { get }

    /// Secrets the submitter was given; they must never show.
    var secrets: [String] { get }

    /// Makes the place fail from now on.
    ///
    /// - Returns: a submitter that meets the fault; `nil` where this fault cannot be made.
    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)?

    /// Removes the place.
    func remove() async
}

extension ContractPlace {
    public var bytesTaken: Int64? { nil }
}

/// What can be wrong with a place.
public enum ContractFault: Sendable, Hashable, CaseIterable {
    case unreachable
    case refusesCredentials
    case full
}
