package import Submit

/// A copy that is to be sent again.
package struct LostCopy: Sendable {
    package var submission: SubmissionID
    /// What was found in its place: an attempt of this outcome, `vanished` or `changed`, is written down.
    package var outcome: String
    /// What was found, with the copy's place.
    package var finding: SubmitFailure
    /// The rule for names from now on.
    package var onConflict: ConflictPolicy
    /// How the copy is to be proven from now on; `nil` as before.
    package var verification: Verification?
    /// The remote id of what was found to be something else; `nil` where nothing was found.
    package var disproved: String?

    package init(
        submission: SubmissionID, outcome: String, finding: SubmitFailure, onConflict: ConflictPolicy,
        verification: Verification? = nil, disproved: String? = nil
    ) {
        self.submission = submission
        self.outcome = outcome
        self.finding = finding
        self.onConflict = onConflict
        self.verification = verification
        self.disproved = disproved
    }
}
