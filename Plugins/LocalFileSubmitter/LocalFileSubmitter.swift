public import Submit
internal import SystemPackage

/// Puts media items into a folder: on a local disk, a mounted share or a card.
///
/// A copy appears under its final name only when it is complete, equals the item's SHA-256 and is on the disk that has
/// been the destination's from its first use; no other file is ever replaced unless that is asked for. What is compared
/// is what the system has of the copy before the disk has it: that proves the copying. With `Verification.readback` it is
/// read once more after that, from the disk as far as the system lets go of what it has in memory. Its modification time is the item's. A file that is there with the same bytes counts as done. Receipts name
/// the path below the root and carry `Evidence.verified`.
public struct LocalFileSubmitter: Submitter {
    public let capabilities: Capabilities
    public let facets: Facets

    private let place: LocalPlace
    private let template: PathTemplate

    /// Submissions under way for each that copies: the others wait for the disk, and the more wait together, the fewer
    /// times it has to be asked.
    private static let waitingPerCopy = 16

    init(place: LocalPlace, template: PathTemplate, jobs: Int) {
        self.place = place
        self.template = template
        capabilities = Self.capabilities(jobs: jobs, usesCaptureTime: template.usesCaptureTime)
        facets = Facets(
            albums: LocalAlbums(place: place), presence: LocalPresence(place: place),
            removal: LocalRemoval(place: place),
            home: LocalHome(place: place), target: LocalTarget(place: place, template: template))
    }

    static func capabilities(jobs: Int, usesCaptureTime: Bool) -> Capabilities {
        Capabilities(
            ordering: .concurrent(jobs * waitingPerCopy), supportsAlbums: true, requiresNetwork: false,
            digests: [.sha256],
            canReadBack: true, proves: .verified, usesCaptureTime: usesCaptureTime)
    }

    public func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        var folders = try names(of: item, context)
        let name = folders.removeLast()
        let parents = folders
        let copy = try await place.copying { () async throws(SubmitFailure) in
            try await place.makingFolder(parents, for: name) {
                (folder, parents, manners) throws(SubmitFailure) in
                try LocalCopy(
                    item: item, bytes: bytes, context: context, folder: folder, parents: parents, asked: name,
                    manners: manners, place: place)
            }
        }
        let outcome = try await copy.finish()
        let path = copy.path(outcome.name)
        return Receipt(
            remoteID: path, url: place.url(of: path), evidence: outcome.evidence, wasThere: outcome.wasThere,
            note: outcome.note)
    }

    /// The item's folders and its name: those of the copy that is repaired, else what the template makes of it.
    private func names(of item: MediaItem, _ context: SubmissionContext) throws(SubmitFailure) -> [String] {
        guard let address = context.repairedAddress else { return template.render(item, album: context.album) }
        guard let names = PathNames.plain(address) else {
            throw SubmitFailure(
                .giveUp, code: "no-path",
                message: "“\(address)” isn't a path in “\(place.root)”, so “\(item.name)” was not repaired there.")
        }
        return names
    }

    public func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        var parents = try names(of: item, context)
        let name = parents.removeLast()
        try await place.inFolder(parents, isSpelled: false) { (folder) throws(SubmitFailure) in
            guard let folder else { return }
            try TemporaryFile.putBack(of: context.submission, to: name, in: folder)
            try TemporaryFile.remove(of: context.submission, in: folder)
        }
    }

    public func check() async throws(SubmitFailure) -> String {
        try await place.check()
    }
}
