package import Submit

/// A checkpoint in the journal.
package struct KeptCheckpoint: Sendable {
    package let submission: SubmissionID
    package let state: SubmissionState
    package let checkpoint: Checkpoint

    package init(submission: SubmissionID, state: SubmissionState, checkpoint: Checkpoint) {
        self.submission = submission
        self.state = state
        self.checkpoint = checkpoint
    }
}
