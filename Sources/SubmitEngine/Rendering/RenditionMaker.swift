internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitRendition
internal import SubmitStore
internal import SystemPackage

/// Makes what a destination gets instead of the original, and proves that it tells no more than it should before a byte of it
/// moves.
struct RenditionMaker: Sendable {
    /// What goes to a destination.
    struct Content: Sendable {
        /// The item as the destination is told of it.
        var item: MediaItem
        var bytes: any MediaBytes
        /// It is other bytes than those that an earlier attempt may have sent a part of.
        var isAnew = false
        /// By what it was made, in canonical text; `nil` for the item itself.
        var recipe: String?
    }

    let folder: RenditionFolder
    let store: any Store
    let destination: Destination

    /// What goes there for a claim: the source itself, or what is or was made of it.
    ///
    /// It is in the journal when this returns.
    func content(of claim: ClaimedSubmission, from source: GuardedFile) async throws(SubmitFailure) -> Content {
        // Where nobody asked for the original it is what is usual now: the destination may have become public.
        let policy = destination.rendition(asked: try claim.recipe.map(RenditionPolicy.init(_:)))
        if policy.isOriginal { return Content(item: claim.item, bytes: source) }
        let plan = try RenditionPlan(
            policy, claim.item, at: destination, limits: try await destination.limits(of: policy.kind(of: claim.item)))
        let last = try await store.rendition(of: claim.id)
        // What was made by another recipe may have been made for fewer eyes.
        if let last, claim.recipe == policy.description, let kept = await kept(last, of: claim, policy) { return kept }
        let outcome = await BlockingThreads.sources.run { () -> Result<(Rendition, GuardedFile), SubmitFailure> in
            do throws(SubmitFailure) {
                return .success(try make(claim, plan, source))
            } catch {
                return .failure(error)
            }
        }
        let (rendition, file) = try outcome.get()
        guard try await store.keep(rendition, by: policy.description, for: claim) else { throw .cancelled }
        let isAnew = last.map { $0.digests[.sha256] != rendition.digests[.sha256] } ?? false
        return content(rendition, of: claim, policy, file, isAnew: isAnew)
    }

    /// What was made in an earlier attempt, if it is there as it was.
    private func kept(
        _ rendition: Rendition, of claim: ClaimedSubmission, _ policy: RenditionPolicy
    ) async -> Content? {
        guard let file = try? folder.open(claim), file.size == rendition.size,
            let digests = try? await Digests.computed([.sha256], of: file),
            digests[.sha256] == rendition.digests[.sha256]
        else { return nil }
        return content(rendition, of: claim, policy, file)
    }

    private func content(
        _ rendition: Rendition, of claim: ClaimedSubmission, _ policy: RenditionPolicy, _ file: GuardedFile,
        isAnew: Bool = false
    ) -> Content {
        var item = policy.item(of: claim)
        item = rendition.content(of: item)
        // Who reads the source by its path is not to get the original.
        item.source = folder.path(of: claim.id)
        return Content(item: item, bytes: file, isAnew: isAnew, recipe: policy.description)
    }

    private func make(
        _ claim: ClaimedSubmission, _ plan: RenditionPlan, _ source: GuardedFile
    ) throws(SubmitFailure) -> (Rendition, GuardedFile) {
        let rendition = try folder.write(
            for: claim, size: plan.base == .item ? claim.item.size : min(claim.item.size, 64 << 20), like: source,
            modified: plan.policy.item(of: claim).modified
        ) {
            (write: (UnsafeRawBufferPointer) throws(SubmitFailure) -> Void) throws(SubmitFailure) in
            let made = try plan.make(
                of: source, scratch: { () throws(SubmitFailure) in try folder.scratch(for: claim) }, write: write)
            try claim.verifyBytes(of: source)
            return made
        } check: { (made, file) throws(SubmitFailure) -> Rendition in
            try plan.check(made, in: file)
            return try plan.rendition(made, in: file)
        }
        return (rendition, try folder.open(claim))
    }
}

extension RenditionPolicy {
    /// What a destination is told of an item besides its bytes: where the date goes, no file's time tells it either.
    fileprivate func item(of claim: ClaimedSubmission) -> MediaItem {
        var item = claim.item
        if let kept, !kept.contains(.date) { (item.modified, item.captured) = (claim.accepted, nil) }
        return item
    }
}

extension ClaimedSubmission {
    /// Throws unless the source has the very bytes that were accepted: what is made of others is no rendition of it.
    fileprivate func verifyBytes(of source: GuardedFile) throws(SubmitFailure) {
        let digests = try Digests.reading([.sha256], of: source)
        try source.verifyUnchanged()
        guard digests[.sha256] == item.digests[.sha256] else {
            throw SubmitFailure(
                .sourceLost, code: "source-changed",
                message:
                    "“\(item.source)” has other content than was accepted: submit it again to send it as it now is.")
        }
    }
}
