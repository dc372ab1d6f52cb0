@_exported public import SubmitRendition

extension Destination {
    /// What it is to get of a photo.
    ///
    /// - Parameter asked: what one request asks for; `nil`: nothing, and then its own ``rendition`` counts, or what is usual where
    ///   so many see what it gets.
    public func rendition(asked: RenditionPolicy? = nil) -> RenditionPolicy {
        asked ?? rendition ?? .usual(at: visibility)
    }

    /// ``rendition(asked:)`` in canonical text; `nil` for the original.
    func recipe(asked: RenditionPolicy?) -> String? {
        let policy = rendition(asked: asked)
        return policy.isOriginal ? nil : policy.description
    }
}
