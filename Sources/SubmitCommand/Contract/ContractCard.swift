internal import Foundation
internal import Submit
internal import SubmitTesting

/// What the trial of a destination has shown.
struct ContractCard {
    let type: SubmitterType
    let destination: String
    let facts: Capabilities
    private(set) var kept = 0
    private(set) var broken = 0
    private(set) var notTried = 0
    /// The promises by what came of them, if that was not kept; in the order in which it was first met.
    private(set) var causes: [(verdict: Verdict, promises: [ContractCase])] = []
    private(set) var resumes = Resumption.notTried
    private(set) var evidence: [Evidence] = []
    private(set) var remains: [String] = []

    enum Resumption: String {
        case yes, no
        case broken
        case notTried = "not tried"
    }

    init(type: SubmitterType, destination: String, facts: Capabilities) {
        self.type = type
        self.destination = destination
        self.facts = facts
        if !facts.canResume { resumes = .no }
    }

    mutating func count(_ verdict: Verdict, on promise: ContractCase) {
        if verdict != .kept {
            if let index = causes.firstIndex(where: { $0.verdict == verdict }) {
                causes[index].promises.append(promise)
            } else {
                causes.append((verdict, [promise]))
            }
        }
        let isAboutResuming = facts.canResume && promise.id == "resume-midway"
        switch verdict {
        case .kept:
            kept += 1
            if isAboutResuming { resumes = .yes }
        case .notTried: notTried += 1
        case .broken, .failed:
            broken += 1
            if isAboutResuming { resumes = .broken }
        }
    }

    /// Whether no promise before this one came to the same end.
    func isFirst(_ promise: ContractCase) -> Bool {
        !causes.contains { $0.promises.dropFirst().last?.id == promise.id }
    }

    /// - Parameter rest: what may be left besides.
    mutating func end(_ harness: LiveHarness, leaving rest: String? = nil) {
        evidence = harness.evidence
        // 2 before 10.
        remains = (harness.remains + (rest.map { [$0] } ?? [])).sorted {
            $0.compare($1, options: .numeric) == .orderedAscending
        }
    }
}
