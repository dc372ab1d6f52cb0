internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// Makes collections, each once, however many submissions need it.
final class Collections: Sendable {
    private let server: DAVServer
    private let turns = FailureSharingLock { $0.remedy == .renewCredentials }
    private let known = Locked<Set<DAVPath>>([])

    init(_ server: DAVServer) {
        self.server = server
    }

    /// Sees that a collection is there, and all that it is in up to the root, which is.
    ///
    /// - Returns: whether nothing is in it, because this call made it where nothing was.
    @discardableResult
    func ensure(_ path: DAVPath, on profile: ServerProfile, about file: String? = nil) async throws(SubmitFailure)
        -> Bool
    {
        if path == profile.rootPath || known.withLock({ $0.contains(path) }) { return false }
        let wasMade = { [known] in known.withLock { $0.contains(path) } ? false : nil }
        return try await turns.take(path.encoded, known: wasMade) { () async throws(SubmitFailure) in
            let isNew = try await make(path, on: profile, about: file)
            known.withLock { _ = $0.insert(path) }
            return isNew
        }
    }

    /// Lets the next call look again: someone has removed it.
    func forget(_ path: DAVPath) {
        known.withLock { known in known = known.filter { $0 != path && !path.ancestors.contains($0) } }
    }

    /// MKCOL makes no parents (RFC 4918, section 9.3.1). Most often they are there, so that they are made only when the
    /// server misses them.
    private func make(_ path: DAVPath, on profile: ServerProfile, about file: String?) async throws(SubmitFailure)
        -> Bool
    {
        for isLast in [false, true] {
            let answer = try await answer(path, on: profile, about: file)
            switch answer.status {
            // Where its parent was missing, it was too.
            case 200, 201, 204: return isLast || profile.tellsWhatItMade
            // All who wait for it are told.
            case 401: throw server.failure(answer, at: path.description, file: nil)
            // What says that it is there, on one server or another; 409 also says that its parent is missing.
            // Apache says 403 to who comes second at the same moment.
            case 405, 301, 302, 308, 403, 423, 406, 412: try await look(path, answer, on: profile, about: file)
            case 404 where !isLast, 409 where !isLast, 500 where !isLast:
                if answer.status != 404, profile.lists, try await isCollection(path, about: file) { return false }
                guard let parent = path.parent, parent.isBelow(profile.rootPath) else {
                    throw server.failure(answer, at: path.description, file: file)
                }
                try await ensure(parent, on: profile, about: file)
                continue
            default: throw server.failure(answer, at: path.description, file: file)
            }
            return false
        }
        return false
    }

    /// rclone says 423 to who comes second at the same moment, as if someone had a lock, until the first is done.
    private func answer(
        _ path: DAVPath, on profile: ServerProfile, about file: String?
    ) async throws(SubmitFailure) -> HTTPResponse {
        let request = DAVRequest("MKCOL", path.encoded, file: file)
        var answer = try await server.send(request)
        for _ in 1..<DAVServer.mostLooks where answer.status == 423 && profile.lists {
            if try await isCollection(path, about: file) { break }
            guard try await server.locks(on: path, about: file).isEmpty else { break }
            answer = try await server.send(request)
        }
        return answer
    }

    private func look(
        _ path: DAVPath, _ answer: HTTPResponse, on profile: ServerProfile, about file: String?
    ) async throws(SubmitFailure) {
        if !profile.lists { return }
        guard let found = try await server.file(path, lists: true, about: file) else {
            throw server.failure(answer, at: path.description, file: file)
        }
        guard found.isCollection else {
            throw SubmitFailure(
                .giveUp, code: "name-taken",
                message: "“\(path)” at “\(server.destination)” is a file, and should be a folder"
                    + "\(file.map { " for “\($0)”" } ?? ""): rename it, or change the album or the template.")
        }
    }

    private func isCollection(_ path: DAVPath, about file: String?) async throws(SubmitFailure) -> Bool {
        try await server.file(path, lists: true, about: file)?.isCollection ?? false
    }
}

extension DAVPath {
    /// It is in that collection, or in one that is in it.
    func isBelow(_ other: DAVPath) -> Bool {
        segments.count > other.segments.count && segments.starts(with: other.segments)
    }
}
