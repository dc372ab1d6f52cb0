internal import Submit
internal import SubmitHTTP

/// What broken uploads left: items under temporary names, and uploads that the server keeps apart.
struct DAVLeftovers: LeftoverFacet {
    let server: DAVServer
    let discovery: DAVDiscovery

    func list(sparing checkpoints: [Checkpoint]) async throws(SubmitFailure) -> [Leftover] {
        let profile = try await discovery.profile()
        let notes = checkpoints.compactMap { UploadCheckpoint($0) }
        let spared = Set(notes.flatMap { [$0.temporary, $0.upload].compactMap { $0 } }.map { $0.trimmedSlash })
        var found: [DAVResource] = []
        try await server.walk(discovery.base(of: profile), DAVResource.leftoverProperties) {
            _, members throws(SubmitFailure) in
            found += members.filter { TemporaryName.isOne($0.path.name ?? "") }
        }
        let behind = try await secondsBehind(discovery.base(of: profile))
        var leftovers = found.map { leftover($0, arrived($0, among: found, on: profile), behind) }
        if case .pieces(let collection) = profile.upload, let path = DAVPath(href: collection + "/") {
            // Nobody but the server dates them.
            leftovers += try await uploads(in: path).map { leftover($0, $0.modified, behind) }
        }
        return leftovers.filter { !spared.contains($0.id.trimmedSlash) }.sorted {
            ($0.begun?.nanoseconds ?? 0, $0.id) < ($1.begun?.nanoseconds ?? 0, $1.id)
        }
    }

    /// What does not list its uploads removes them by itself, a day after they were left.
    private func uploads(in path: DAVPath) async throws(SubmitFailure) -> [DAVResource] {
        do throws(SubmitFailure) {
            let members = try await server.list(path)?.members ?? []
            return members.filter { TemporaryName.isOne($0.path.name ?? "") }
        } catch {
            if ["not-webdav", "denied"].contains(error.code) { return [] }
            throw error
        }
    }

    /// When something came there, by the server's clock; `nil` where it may say what it was told, such as when the photo
    /// was taken. A collection is as young as what is in it.
    private func arrived(
        _ resource: DAVResource, among all: [DAVResource], on profile: ServerProfile
    ) -> Timestamp? {
        guard resource.isCollection else {
            return resource.uploaded ?? (profile.dating == nil ? resource.modified : nil)
        }
        let members = all.filter { $0.path.isBelow(resource.path) && !$0.isCollection }
        let times = members.compactMap { arrived($0, among: [], on: profile) } + [resource.modified].compactMap { $0 }
        return times.count == members.count + 1 ? times.max { $0.nanoseconds < $1.nanoseconds } : nil
    }

    /// How far the server's clock is behind ours.
    private func secondsBehind(_ base: DAVPath) async throws(SubmitFailure) -> Int64 {
        let answer = try await server.propfind(base, [.dav("resourcetype")], depth: "0", about: nil)
        let theirs = answer["Date"].flatMap { HTTPDate.parse($0, now: server.time) }
        return theirs.map { server.time.seconds - $0.seconds } ?? 0
    }

    private func leftover(_ resource: DAVResource, _ arrived: Timestamp?, _ behind: Int64) -> Leftover {
        let begun = arrived.map {
            Timestamp(nanoseconds: ($0.seconds &+ behind).multipliedReportingOverflow(by: 1_000_000_000).partialValue)
        }
        return Leftover(
            id: resource.path.encoded, name: resource.path.description, begun: begun, bytes: resource.size)
    }

    func remove(_ leftover: Leftover) async throws(SubmitFailure) {
        guard let path = DAVPath(href: leftover.id), TemporaryName.isOne(path.name ?? "") else {
            throw SubmitFailure(
                .giveUp, code: "no-leftover", message: "“\(leftover.name)” was not left by an upload of submit.")
        }
        try await server.delete(path)
        // Neither success nor a 404 proves that it is gone.
        guard try await server.file(path, lists: true, about: nil) == nil else {
            throw .notRemoved(path, at: server.destination)
        }
    }
}

extension SubmitFailure {
    /// Something was to be removed and is still there, whatever the server said.
    static func notRemoved(_ path: DAVPath, at destination: String) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "not-removed",
            message: "“\(path)” is still at “\(destination)” though it was to be removed: try again.")
    }
}

extension String {
    fileprivate var trimmedSlash: Substring { hasSuffix("/") ? dropLast() : self[...] }
}
