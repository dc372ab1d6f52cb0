internal import Submit

/// Stores a small object after an item failed, and removes it.
struct ObjectTrial: TrialFacet {
    let container: any ObjectContainer
    /// The beginning of all keys, without a slash at its end.
    let prefix: String

    /// Bytes.
    static let size = 4096

    func trial(after item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) -> TrialResult {
        try await container.storeSmallObject(below: prefix)
        return .stored
    }
}
