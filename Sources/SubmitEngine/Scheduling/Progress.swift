internal import Submit
internal import SubmitConcurrency
internal import SubmitStore
internal import Synchronization

/// How far one attempt has come.
final class Progress: Sendable {
    /// Bytes of the item on their way.
    let sent = Atomic<Int64>(0)
    /// Bytes of the item that need not be sent again.
    let landed = Atomic<Int64>(0)
    /// What the bytes tell of the picture, once they have arrived.
    let facts = Locked(PictureFacts())
    /// By what the rendition was made that is sent; `nil` for the item itself.
    let recipe: Locked<String?>
    /// What was kept last.
    let checkpoint: Locked<Checkpoint?>

    init(_ claim: ClaimedSubmission) {
        recipe = Locked(claim.recipe)
        checkpoint = Locked(claim.checkpoint)
    }
}
