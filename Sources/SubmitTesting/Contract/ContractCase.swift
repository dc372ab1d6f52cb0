internal import Submit

/// One promise of the contract, as something that can be tried.
public struct ContractCase: Sendable {
    /// The promise, as a sentence.
    public let name: String
    private let body: @Sendable (any ContractPlace) async throws -> Void

    /// What makes the bytes of each run others than all before: a service that knows bytes again would store nothing.
    @TaskLocal static var salt: UInt64 = 0

    init(_ name: String, _ body: @escaping @Sendable (any ContractPlace) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Tries it on a fresh place, which is removed afterwards, also when the task is cancelled.
    ///
    /// - Returns: whether the promise was kept, or could not be tried there.
    /// - Throws: ``ContractViolation`` with what was promised and what was found, or the failure of the submitter or
    ///   the place.
    public func run(_ harness: some ContractHarness) async throws -> ContractOutcome {
        let place = try await harness.makePlace()
        let outcome: Result<ContractOutcome, any Error>
        do {
            try await Self.$salt.withValue(.random(in: .min ... .max)) { try await body(place) }
            outcome = .success(.kept)
        } catch let reason as NotTried {
            outcome = .success(.notTried(reason.clause))
        } catch let failure as SubmitFailure where failure.code == NotTried.code {
            outcome = .success(.notTried(failure.message))
        } catch {
            outcome = .failure(error)
        }
        // Who cancels wants the place to go all the same.
        await Task { await place.remove() }.value
        return try outcome.get()
    }

    /// Tries it as a test does that shall notice when a promise is no longer tried.
    ///
    /// - Parameter untried: what the sentences of those promises have in them that cannot be tried there.
    /// - Throws: what ``run(_:)`` does, and a ``ContractViolation`` with the reason where another one was not tried.
    public func run(_ harness: some ContractHarness, leavingOut untried: [String]) async throws {
        guard case .notTried(let clause) = try await run(harness), !untried.contains(where: name.contains) else { return }
        throw ContractViolation(
            description: "it was not tried, because \(clause): name it in `leavingOut` if that has to be so")
    }
}

extension ContractCase: CustomStringConvertible {
    public var description: String { name }
}

/// What came of trying a promise that was not broken.
public enum ContractOutcome: Sendable, Hashable {
    case kept
    /// It could not be tried, and why: a clause such as “it has no albums”.
    case notTried(String)
}

/// A promise that was not kept.
public struct ContractViolation: Error, CustomStringConvertible {
    public let description: String
}

/// Ends a case that cannot be tried on its place, with the reason as a clause. A place's own methods may throw it too.
public struct NotTried: Error, Sendable, Hashable {
    /// Such as “it has no albums”.
    public let clause: String

    public init(_ clause: String) {
        self.clause = clause
    }

    static let code = "contract-not-tried"

    /// Nothing makes that fault.
    static func unmade(_ fault: ContractFault) -> NotTried { unmade("the fault “\(fault.rawValue)”") }

    static func unmade(_ what: String) -> NotTried {
        NotTried("nothing makes \(what) there: give `submit contract` a command for that by --faults, or a harness "
            + "`submitter(meeting:)`")
    }

    /// At one of its requests; of a program only it knows which those are.
    static let noSingleRequests = NotTried("its requests cannot be made to fail one by one")

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
