internal import Submit
@_exported public import SubmitRendition

extension Destination {
    /// What it is to get of a photo.
    ///
    /// - Parameter asked: what one request asks for; `nil`: nothing, and then its own ``rendition`` counts, or what is usual where
    ///   so many see what it gets.
    public func rendition(asked: RenditionPolicy? = nil) -> RenditionPolicy {
        asked ?? rendition ?? .usual(at: visibility)
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
