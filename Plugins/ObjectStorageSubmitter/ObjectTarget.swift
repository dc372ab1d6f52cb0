internal import Submit

/// Under which key a copy gets.
struct ObjectTarget: TargetFacet {
    let prefix: String
    let template: PathTemplate
    /// An album's container, the rest of its name, and what stands before a key in a receipt's id.
    let place:
        @Sendable (_ album: String?) throws(SubmitFailure) -> (any ObjectContainer, album: String?, idPrefix: String)

    func target(of item: MediaItem, album: String?) async throws(SubmitFailure) -> Receipt {
        let (container, rest, idPrefix) = try place(album)
        let key = ObjectKey(prefix: prefix, parts: template.render(item, album: rest))
        try key.checkLength()
        return Receipt(remoteID: idPrefix + key.text, url: try await container.url(of: key.text), evidence: .unknown)
    }
}
