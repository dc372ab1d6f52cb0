internal import Foundation
public import SubmitTesting

extension ContractSuite {
    /// Every third promise: for one more way to a server that is held to all of them by another.
    /// `SUBMIT_EVERY_CASE=1` in the environment makes it all.
    ///
    /// - Parameters:
    ///   - number: which third, so that several such ways share them all.
    ///   - beginnings: what the ids of those begin with that are tried all the same.
    public static func sample(_ number: Int, and beginnings: [String] = []) -> [ContractCase] {
        if ProcessInfo.processInfo.environment["SUBMIT_EVERY_CASE"] == "1" { return cases }
        return cases.enumerated().filter { index, promise in
            index % 3 == number % 3 || beginnings.contains(where: promise.id.hasPrefix)
        }
        .map(\.element)
    }

    /// What the ids of those begin with that hang on the way in which a large item goes.
    public static let aboutParts = [
        "part-", "size-1048577", "cancel-", "resume-", "discard-", "fault-midway", "lost-", "source-", "progress",
        "no-secret-written", "readback", "removal", "conflict-overwrite", "failure-leaves-others",
    ]
}
