/// Code that can put a media item on one kind of place, configured for one destination.
///
/// Submitters send bytes and say what happened. They never sleep, never retry and never write to the terminal:
/// the engine decides from the failure's ``SubmitFailure/remedy`` what comes next. A submitter may be asked for
/// several submissions at once, up to its declared ``Capabilities/ordering``.
public protocol Submitter: Sendable {
    /// What this destination can do and takes. Known without the network, and constant for the life of the value but for
    /// the digests it wants: those that prove nothing at its server go when that is known.
    var capabilities: Capabilities { get }

    /// The optional verbs this submitter has.
    var facets: Facets { get }

    /// Puts one media item on the destination.
    ///
    /// Promises:
    /// - It returns only with the whole item stored durably under its final name, and says how sure that is.
    /// - It is safe to call again after any interruption, in another process too: a copy that an earlier attempt
    ///   completed is recognised and not sent a second time, and nothing of a broken attempt stays behind.
    /// - What an audit disproved is not called there by what it says of itself: see ``SubmissionContext/disproved``.
    /// - It never replaces other bytes unless ``SubmissionOptions/onConflict`` is `overwrite`.
    /// - A repair replaces the damaged copy and nothing else: see ``SubmissionContext/repairedAddress``.
    /// - After a failure nothing of the item is visible under its final name.
    ///
    /// - Parameters:
    ///   - item: what to send. Limits stated in ``capabilities`` have been checked.
    ///   - bytes: the item's bytes.
    ///   - context: the submission's identity, wishes, checkpoint and progress.
    /// - Throws: ``SubmitFailure`` with its remedy. When the task is cancelled, promptly ``SubmitFailure/cancelled``.
    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt

    /// Removes whatever a broken attempt of this submission may have left at the destination.
    ///
    /// Called when a submission is cancelled or given up, with the last checkpoint that was kept. A completed copy
    /// stays. Does nothing where a broken attempt leaves nothing. Where it throws, it is called again later.
    ///
    /// - Throws: ``SubmitFailure`` where something may still be there, such as where it cannot be reached. Nobody acts
    ///   on its remedy: the journal keeps the checkpoint, and it is called again later.
    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure)

    /// Proves that the destination can be used as configured, without leaving anything there.
    ///
    /// - Returns: one sentence on what was found.
    /// - Throws: a failure that says what is wrong and what to do: ``Remedy/renewCredentials`` where the credentials are
    ///   refused, ``Remedy/hold(_:after:)`` where it cannot be reached or used as configured.
    func check() async throws(SubmitFailure) -> String
}
