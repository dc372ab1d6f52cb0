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

    /// - Parameter rest: what may be left besides.
    mutating func end(_ harness: LiveHarness, leaving rest: String? = nil) {
        evidence = harness.evidence
        remains = harness.remains + (rest.map { [$0] } ?? [])
    }
}
