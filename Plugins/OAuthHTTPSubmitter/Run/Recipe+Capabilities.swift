internal import Submit
internal import SubmitRecipes

extension Recipe {
    /// The facts of its destinations.
    ///
    /// - Parameter jobs: how many at once are wanted at most.
    func capabilities(jobs: Int? = nil) -> Capabilities {
        let kinds = Set(limits.kinds.compactMap { MediaKind(rawValue: $0.rawValue) })
        var sizes: [MediaKind: Int64] = [:]
        var mimes: Set<String>? = []
        for kind in limits.kinds {
            let item = limits.items[kind]
            if let most = item?.mostBytes, let kind = MediaKind(rawValue: kind.rawValue) { sizes[kind] = most }
            if let types = item?.mimes { mimes?.formUnion(types) } else { mimes = nil }
        }
        let width = min(max(1, limits.parallel), jobs ?? .max)
        let digests = DigestAlgorithm.allCases.filter { $0 != .sha256 && mentions("file", $0.rawValue) }
        return Capabilities(
            ordering: width == 1 ? .sequential : .concurrent(width),
            minimumGap: .seconds(limits.gap), kinds: kinds, mimeTypes: mimes, maximumSize: sizes,
            captionLimit: limits.captionLimit, supportsAlbums: albums != nil,
            canResume: upload.contains { $0.chunks != nil && $0.resume != nil }, requiresNetwork: true,
            digests: Set(digests), proves: presence?.evidence.strongest,
            usesCaptureTime: mentions("meta", "taken"), visibility: isPublic ? .public : .private)
    }
}
