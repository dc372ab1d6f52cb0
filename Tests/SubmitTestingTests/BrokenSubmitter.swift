import Submit
import SubmitTesting
import Testing

/// A submitter that keeps its promises but for one.
struct BrokenSubmitter: Sendable, CustomTestStringConvertible {
    /// Ends the sentence “a submitter that …”.
    let fault: String
    /// The cases that must catch it, and no others.
    let promises: Set<String>
    var resumes = false
    let wrap: @Sendable (InMemorySubmitter) -> any Submitter

    var testDescription: String { fault }

    /// - Parameter change: how it differs from the one that is sound.
    init(
        _ fault: String, breaks promises: Set<String>, resumes: Bool = false,
        _ change: @escaping @Sendable (inout Deviation, InMemorySubmitter) -> Void
    ) {
        self.fault = fault
        self.promises = promises
        self.resumes = resumes
        wrap = { sound in
            var deviation = Deviation(sound)
            change(&deviation, sound)
            return deviation
        }
    }
}

/// A sound submitter with some of its verbs replaced.
struct Deviation: Submitter {
    typealias Submit =
        @Sendable (MediaItem, any MediaBytes, SubmissionContext) async throws(SubmitFailure) -> Receipt

    var capabilities: Capabilities
    var facets: Facets
    var submits: Submit
    var discards: @Sendable (MediaItem, SubmissionContext) async throws(SubmitFailure) -> Void
    var checks: @Sendable () async throws(SubmitFailure) -> String

    init(_ sound: InMemorySubmitter) {
        capabilities = sound.capabilities
        facets = sound.facets
        submits = { (item, bytes, context) async throws(SubmitFailure) in
            try await sound.submit(item, bytes: bytes, context: context)
        }
        discards = { (item, context) async throws(SubmitFailure) in try await sound.discard(item, context: context) }
        checks = { () async throws(SubmitFailure) in try await sound.check() }
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        try await submits(item, bytes, context)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await discards(item, context)
    }

    func check() async throws(SubmitFailure) -> String { try await checks() }

    /// Changes what a submission that fails throws, or what it gives instead.
    mutating func onFailure(
        _ body: @escaping @Sendable (SubmitFailure, MediaItem, any MediaBytes) throws(SubmitFailure) -> Receipt
    ) {
        let sound = submits
        submits = { (item, bytes, context) async throws(SubmitFailure) in
            do throws(SubmitFailure) {
                return try await sound(item, bytes, context)
            } catch {
                return try body(error, item, bytes)
            }
        }
    }

    /// Changes what a submission that is done gives.
    mutating func onReceipt(_ body: @escaping @Sendable (inout Receipt, SubmissionContext) -> Void) {
        let sound = submits
        submits = { (item, bytes, context) async throws(SubmitFailure) in
            var receipt = try await sound(item, bytes, context)
            body(&receipt, context)
            return receipt
        }
    }

    /// Changes what a submission is told.
    mutating func onContext(
        _ body: @escaping @Sendable (SubmissionContext) async -> SubmissionContext
    ) {
        let sound = submits
        submits = { (item, bytes, context) async throws(SubmitFailure) in
            try await sound(item, bytes, await body(context))
        }
    }
}

extension SubmissionContext {
    /// The same with some of it replaced.
    func changed(
        album: String?? = nil, onConflict: ConflictPolicy? = nil, checkpoint: Checkpoint?? = nil,
        keep: (@Sendable (Checkpoint?) -> Checkpoint?)? = nil, sent: (@Sendable (Int64) -> Void)? = nil
    ) -> SubmissionContext {
        var context = SubmissionContext(
            submission: submission, attempt: attempt, album: album ?? self.album,
            onConflict: onConflict ?? self.onConflict, verification: self.verification,
            checkpoint: checkpoint ?? self.checkpoint,
            keep: { checkpoint in
                do throws(SubmitFailure) {
                    try await self.keep(keep.map { $0(checkpoint) } ?? checkpoint)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            },
            sent: sent ?? { self.sent($0) }, landed: { self.landed($0) })
        context.disproved = disproved
        return context
    }
}
