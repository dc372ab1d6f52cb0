internal import Submit

/// Where a copy gets below the collection. How the server keeps names has to be known: it is found out by trying, which is
/// not done for this.
struct CollectionTarget: TargetFacet {
    let server: DAVServer
    let discovery: DAVDiscovery
    let template: PathTemplate

    func target(of item: MediaItem, album: String?) async throws(SubmitFailure) -> Receipt {
        guard let profile = await discovery.rememberedProfile() else {
            throw SubmitFailure(
                .giveUp, code: "not-tried",
                message: "What “\(server.host)” does with names is not known yet: have the destination checked first.")
        }
        let parts = template.render(item, album: album).map { profile.names.fitted($0) }
        let path = parts.enumerated().reduce(discovery.base(of: profile)) { path, part in
            path.appending(part.element, isCollection: part.offset < parts.count - 1)
        }
        return Receipt(remoteID: parts.joined(separator: "/"), url: server.url(path.encoded), evidence: .unknown)
    }
}
