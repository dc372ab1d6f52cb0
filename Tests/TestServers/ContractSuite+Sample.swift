internal import Foundation
public import SubmitTesting

extension ContractSuite {
    /// Every third promise: for one more way to a server that is held to all of them by another.
    /// `SUBMIT_EVERY_CASE=1` in the environment makes it all.
    ///
    /// - Parameters:
    ///   - number: which third, so that several such ways share them all.
    ///   - names: what those have in their sentences that are tried all the same.
    public static func sample(_ number: Int, and names: [String] = []) -> [ContractCase] {
        if ProcessInfo.processInfo.environment["SUBMIT_EVERY_CASE"] == "1" { return cases }
        return cases.enumerated().filter { index, promise in
            index % 3 == number % 3 || names.contains(where: promise.name.contains)
        }
        .map(\.element)
    }

    /// What those have in their sentences that hang on the way in which a large item goes.
    public static let aboutParts = [
        "a part", "1048577", "cancelled", "checkpoint", "in the midst", "reply", "source", "progress", "discarding", "leftovers",
        "read back", "removed", "overwrite",
    ]
}
