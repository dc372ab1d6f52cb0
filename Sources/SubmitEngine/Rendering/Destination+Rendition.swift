internal import Submit
internal import SubmitMedia
@_exported public import SubmitRendition

extension Destination {
    /// What it is to get of a photo.
    ///
    /// - Parameter asked: what one request asks for; `nil`: nothing, and then its own ``rendition`` counts, or what is usual where
    ///   so many see what it gets.
    public func rendition(asked: RenditionPolicy? = nil) -> RenditionPolicy {
        policy((asked ?? rendition) ?? .usual(at: visibility))
    }

    /// A policy as it counts here: where anybody sees what is sent, a rendition of which nobody said what it may tell goes
    /// without the place.
    func policy(_ policy: RenditionPolicy) -> RenditionPolicy {
        guard visibility == .public, policy.kept == nil, !policy.isOriginal else { return policy }
        var policy = policy
        policy.kept = KeptFact.publishable
        return policy
    }

    /// Why it can never get an item that is asked for; `nil` where it can. May block its thread for a moment, once.
    func refusal(of item: MediaItem, _ request: SubmitRequest) -> SubmitFailure? {
        let policy = rendition(asked: request.rendition)
        // It is skipped when its turn comes.
        if policy.skips(item) { return nil }
        var content = item
        if !policy.isOriginal {
            do throws(SubmitFailure) {
                content.type = try RenditionPlan(policy, item, at: self).type
            } catch {
                return error
            }
        }
        return submitter.capabilities.refusal(
            of: content, isWhole: policy.isOriginal, request.options, at: name)
    }

    /// What it says that it takes of a kind of items, where it says that, but never more than its facts do.
    func limits(of kind: MediaKind) async throws(SubmitFailure) -> ItemLimits {
        var limits = submitter.capabilities.limits(of: kind)
        guard let asked = try await submitter.facets.limits?.limits(of: kind) else { return limits }
        limits.maximumSize = [limits.maximumSize, asked.maximumSize].compactMap(\.self).min()
        limits.maximumPixels = asked.maximumPixels
        if let types = asked.mimeTypes { limits.mimeTypes = limits.mimeTypes?.intersection(types) ?? types }
        return limits
    }

    /// An item as it is called here: a name that a server would run goes to no destination that anybody sees.
    ///
    /// Files of no known type are sent because somebody asked for any file, and keep their names: a page is published as one.
    func published(_ item: MediaItem) -> MediaItem {
        guard visibility == .public, !item.type.filenameExtension.isEmpty else { return item }
        var item = item
        item.name = HarmlessName(item.name, item.type).text
        return item
    }

    /// Where nobody asks for anything.
    var getsOriginals: Bool { rendition.map(\.isOriginal) ?? (visibility == .private) }

    /// ``rendition(asked:)`` in canonical text; `nil` for an original that nobody asked for by name: that it is one is found out
    /// again when it is sent, as the destination may be public by then.
    func recipe(asked: RenditionPolicy?) -> String? {
        let policy = rendition(asked: asked)
        return policy.isOriginal && asked == nil ? nil : policy.description
    }
}
