internal import Submit

/// Where a copy gets in the folder, by the template alone. Disks that keep names otherwise are not asked.
struct LocalTarget: TargetFacet {
    let place: LocalPlace
    let template: PathTemplate

    func target(of item: MediaItem, album: String?) -> Receipt {
        let path = template.render(item, album: album).joined(separator: "/")
        return Receipt(remoteID: path, url: place.url(of: path), evidence: .unknown)
    }
}
