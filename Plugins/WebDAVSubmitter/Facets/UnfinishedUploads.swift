internal import Submit

/// What broken uploads left: items under temporary names, and uploads that the server keeps apart.
struct UnfinishedUploads: LeftoverFacet {
    let server: DAVServer
    let discovery: Discovery

    func list(sparing checkpoints: [Checkpoint]) async throws(SubmitFailure) -> [Leftover] {
        let profile = try await discovery.profile()
        let notes = checkpoints.compactMap { UploadNote($0) }
        let spared = Set(notes.flatMap { [$0.temporary, $0.upload].compactMap { $0 } }.map { $0.trimmedSlash })
        var found: [Leftover] = []
        try await server.walk(discovery.base(of: profile)) { _, members throws(SubmitFailure) in
            found += members.filter { TemporaryName.isOne($0.path.name ?? "") }.map(Self.leftover)
        }
        if case .pieces(let collection) = profile.upload, let path = DAVPath(href: collection + "/") {
            found += try await uploads(in: path)
        }
        return found.filter { !spared.contains($0.id.trimmedSlash) }.sorted {
            ($0.begun?.nanoseconds ?? 0, $0.id) < ($1.begun?.nanoseconds ?? 0, $1.id)
        }
    }

    /// What does not list its uploads removes them by itself, a day after they were left.
    private func uploads(in path: DAVPath) async throws(SubmitFailure) -> [Leftover] {
        do throws(SubmitFailure) {
            let members = try await server.list(path)?.members ?? []
            return members.filter { TemporaryName.isOne($0.path.name ?? "") }.map(Self.leftover)
        } catch {
            if ["not-webdav", "denied"].contains(error.code) { return [] }
            throw error
        }
    }

    private static func leftover(_ resource: DAVResource) -> Leftover {
        Leftover(
            id: resource.path.encoded, name: resource.path.description, begun: resource.modified, bytes: resource.size)
    }

    func remove(_ leftover: Leftover) async throws(SubmitFailure) {
        guard let path = DAVPath(href: leftover.id), TemporaryName.isOne(path.name ?? "") else {
            throw SubmitFailure(.giveUp, code: "no-leftover", "“\(leftover.name)” was not left by an upload of submit.")
        }
        try await server.delete(path)
    }
}

extension String {
    fileprivate var trimmedSlash: Substring { hasSuffix("/") ? dropLast() : self[...] }
}
