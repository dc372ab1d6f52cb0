internal import Submit

/// One promise of the contract, as something that can be tried.
public struct ContractCase: Sendable {
    /// The promise, as a sentence.
    public let name: String
    private let body: @Sendable (any ContractPlace) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (any ContractPlace) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Tries it on a fresh place.
    ///
    /// - Throws: ``ContractViolation`` with what was promised and what was found, or the submitter's failure.
    public func run(_ harness: some ContractHarness) async throws {
        let place = try await harness.makePlace()
        do {
            try await body(place)
        } catch {
            await place.remove()
            throw error
        }
        await place.remove()
    }
}

extension ContractCase: CustomStringConvertible {
    public var description: String { name }
}

/// A promise that was not kept.
public struct ContractViolation: Error, CustomStringConvertible {
    public let description: String
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
            !error.code.isEmpty && error.sentence.hasSuffix("."), "\(what) failed without a sentence: \(error.sentence)")
        return error
    }
    throw ContractViolation(description: "\(what) should have failed and gave \(receipt)")
}
