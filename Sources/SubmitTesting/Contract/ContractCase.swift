internal import Submit

/// One promise of the contract, as something that can be tried.
public struct ContractCase: Sendable {
    /// What it is called by programs and tests: words of small letters and digits with hyphens, such as `cancel-midway`. It
    /// is no other case's, and stays when the sentence changes.
    public let id: String
    /// The promise, as a sentence.
    public let name: String
    /// What a place or its submitter may lack so that it cannot be tried.
    public let needs: Set<ContractRequirement>
    private let body: @Sendable (any ContractPlace) async throws -> Void

    /// What makes the bytes of each run others than all before: a service that knows bytes again would store nothing.
    @TaskLocal static var salt: UInt64 = 0

    /// - Parameter looks: it looks at what is there under final names and besides.
    init(
        _ id: String, _ name: String, needs: Set<ContractRequirement> = [], looks: Bool = true,
        _ body: @escaping @Sendable (any ContractPlace) async throws -> Void
    ) {
        self.id = id
        self.name = name
        self.needs = looks ? needs.union([.contents, .leftovers]) : needs
        self.body = body
    }

    /// Tries it on a fresh place, which is removed afterwards, also when the task is cancelled.
    ///
    /// - Returns: whether the promise was kept, or could not be tried there.
    /// - Throws: ``ContractViolation`` with what was promised and what was found, or the failure of the submitter or
    ///   the place.
    public func run(_ harness: some ContractHarness) async throws -> ContractOutcome {
        try await attempt(harness).map { .notTried($0) } ?? .kept
    }

    /// - Returns: why it could not be tried; `nil` where the promise was kept.
    func attempt(_ harness: some ContractHarness) async throws -> NotTried? {
        let place = try await harness.makePlace()
        let outcome: Result<NotTried?, any Error>
        do {
            try await KnownBytes.$ofThisRun.withValue(KnownBytes()) {
                try await Self.$salt.withValue(.random(in: .min ... .max)) { try await body(place) }
            }
            outcome = .success(nil)
        } catch let reason as NotTried {
            outcome = .success(reason)
        } catch let failure as SubmitFailure where failure.code == NotTried.code {
            outcome = .success(NotTried(failure.message))
        } catch {
            outcome = .failure(error)
        }
        // Who cancels wants the place to go all the same.
        await Task { await place.remove() }.value
        return try outcome.get()
    }

    /// Tries it as a test does that shall notice when a promise is no longer tried.
    ///
    /// - Parameters:
    ///   - untried: what is lacking there: what needs it may not be tried.
    ///   - ids: cases that may not be tried for other reasons.
    /// - Throws: what ``run(_:)`` does, and a ``ContractViolation`` with the reason where another one was not tried.
    public func run(
        _ harness: some ContractHarness, leavingOut untried: Set<ContractRequirement>, ids: Set<String> = []
    ) async throws {
        guard let reason = try await attempt(harness), !ids.contains(id) else { return }
        // A place's own reason may not say what is lacking.
        let lacks = reason.requirement.map { [$0] } ?? needs
        guard untried.isDisjoint(with: lacks) else { return }
        let advice =
            switch reason.requirement {
            case .fault, .anyFault: "give the harness a `submitter(meeting:)`, or "
            default: ""
            }
        let name = reason.requirement.map { "`\($0)` in `leavingOut`" } ?? "“\(id)” in `ids`"
        throw ContractViolation(
            description: "it was not tried, because \(reason.clause): \(advice)name \(name) if that has to be so")
    }
}

extension ContractCase: CustomStringConvertible {
    public var description: String { name }
}

/// What came of trying a promise that was not broken.
public enum ContractOutcome: Sendable, Hashable {
    /// It was tried, and is kept.
    case kept
    /// It could not be tried, and why.
    case notTried(NotTried)
}

/// A promise that was not kept.
public struct ContractViolation: Error, CustomStringConvertible {
    public let description: String
}

/// Ends a case that cannot be tried on its place, with the reason as a clause. A place's own methods may throw it too.
public struct NotTried: Error, Sendable, Hashable {
    /// Such as “it has no albums”.
    public let clause: String
    /// What is lacking; `nil` where that is nothing which several cases need.
    public let requirement: ContractRequirement?

    /// - Parameter clause: why, such as “it has no albums”.
    public init(_ clause: String) {
        self.clause = clause
        requirement = nil
    }

    /// - Parameters:
    ///   - requirement: what is lacking, which other cases may need too.
    ///   - clause: why, such as “it has no albums”.
    public init(lacking requirement: ContractRequirement, _ clause: String) {
        self.clause = clause
        self.requirement = requirement
    }

    static let code = "contract-not-tried"

    /// Nothing makes that fault.
    static func unmade(_ fault: ContractFault) -> NotTried { unmade("the fault “\(fault.rawValue)”", .fault(fault)) }

    static func unmade(_ what: String, _ requirement: ContractRequirement) -> NotTried {
        NotTried(lacking: requirement, "nothing makes \(what) there")
    }

    /// At one of its requests; of a program only it knows which those are.
    static let noSingleRequests = NotTried(lacking: .singleRequests, "its requests cannot be made to fail one by one")

    /// The same, from where only such failures can be thrown.
    var failure: SubmitFailure { SubmitFailure(.giveUp, code: Self.code, message: clause) }
}

/// Throws unless `condition` holds.
func expect(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
    if !condition { throw ContractViolation(description: complaint()) }
}

/// Runs `body`, which must fail, and returns its failure.
func expectFailure(
    _ what: String, _ body: () async throws(SubmitFailure) -> Receipt
) async throws -> SubmitFailure {
    let receipt: Receipt
    do throws(SubmitFailure) {
        receipt = try await body()
    } catch {
        try expect(
            !error.code.isEmpty && error.message.hasSuffix("."), "\(what) failed without a sentence: \(error.message)")
        return error
    }
    throw ContractViolation(description: "\(what) should have failed and gave a receipt for “\(receipt.remoteID)”")
}
