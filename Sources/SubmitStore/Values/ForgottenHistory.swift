/// What a store let go of.
package struct ForgottenHistory: Sendable, Hashable {
    package var submissions = 0
    package var attempts = 0
    package var items = 0
    /// The last submission that was looked at; `nil` where there are no more.
    package var next: SubmissionID?

    package init() {}
}
