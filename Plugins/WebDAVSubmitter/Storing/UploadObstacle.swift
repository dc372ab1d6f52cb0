internal import Submit

/// Why an item did not get to its place, as far as only the server can tell: how much room it has, and whose lock it is.
struct UploadObstacle: Sendable {
    let server: DAVServer
    let load: UploadJob

    private var item: MediaItem { load.item }
    private var collection: DAVPath { load.temporary.parent ?? .root }

    /// Looks whether a large item fits before any of it is sent. One that has begun to arrive is not asked about: part of
    /// what it needs is taken by itself.
    ///
    /// - Throws: `full`.
    func room() async throws(SubmitFailure) {
        guard load.asksForRoom, UploadCheckpoint(load.context.checkpoint)?.kind ?? .whole == .whole else { return }
        if let room = await server.room(in: collection), room < item.size { throw full(room) }
    }

    /// A failure with what can be found out of its reason.
    ///
    /// - Parameter path: what was about to change.
    func explained(_ failure: SubmitFailure, at path: DAVPath) async -> SubmitFailure {
        switch failure.code {
        case "full":
            let room = load.profile.lists ? await server.room(in: collection) : nil
            guard case .hold(_, let wait) = failure.remedy else { return failure }
            return full(room, after: wait)
        case "not-stored" where load.profile.tellsQuota:
            // Some say yes to what does not fit. What they stored of it has been removed.
            guard let room = await server.room(in: collection), room < item.size else { return failure }
            return full(room)
        case "too-large":
            return SubmitFailure(
                failure.remedy, code: failure.code,
                message: "“\(server.host)” takes no file as large as “\(item.name)”, which has \(item.size) bytes, for "
                    + "“\(server.destination)”: raise its limit or send a smaller one.")
        case "locked", DAVServer.lockRequired: return await locked(failure, path)
        default: return failure
        }
    }

    private func full(_ room: Int64?, after wait: Duration? = nil) -> SubmitFailure {
        let left =
            switch room {
            case nil: "does not have that much room left"
            case let room? where room < item.size: "has \(room) left"
            case let room?: "says that it has \(room) left and cannot store it"
            }
        return SubmitFailure(
            .hold(.full, after: wait), code: "full",
            message:
                "“\(item.name)” needs \(item.size) bytes, and “\(server.host)” \(left) for “\(server.destination)”: make some "
                + "room there or raise the quota.")
    }

    private func locked(_ failure: SubmitFailure, _ path: DAVPath) async -> SubmitFailure {
        await server.locked(
            failure, on: load.profile.lists ? [path, load.temporary] : [], at: path, attempt: load.context.attempt,
            about: item.name)
    }
}

extension DAVServer {
    /// A failure whose reason is a lock, with whose lock it is and when to look again. Other failures stay as they are.
    ///
    /// - Parameters:
    ///   - paths: the ones that may be locked.
    ///   - path: what was about to change.
    func locked(
        _ failure: SubmitFailure, on paths: [DAVPath], at path: DAVPath, attempt: Int, about name: String
    ) async -> SubmitFailure {
        guard ["locked", Self.lockRequired].contains(failure.code), case .retry(let asked) = failure.remedy else {
            return failure
        }
        var lock: DAVLock?
        do throws(SubmitFailure) {
            for path in paths where lock == nil { lock = try await locks(on: path, about: name).first }
        } catch {}
        let owner = lock.map { $0.owner.map { "“\(ForeignText.line($0, longest: 100))”" } ?? "someone" }
        let end = lock?.timeout.map { ", which ends in \($0) seconds if it is not renewed" } ?? ""
        let whose = owner.map { "\($0) has a lock on “\(path)”\(end)" } ?? "“\(path)” is locked"
        var wait = asked ?? Self.lockWait(attempt: attempt)
        // Not long after it ends.
        if asked == nil, let seconds = lock?.timeout {
            wait = min(wait, .seconds(min(max(seconds, 0), 1 << 30) + 1))
        }
        return SubmitFailure(
            .retry(after: wait), code: failure.code,
            message:
                "“\(name)” was not stored at “\(destination)”, because \(whose): close it where it is open. If nobody has "
                + "it open, choose another name for it.")
    }

    /// Some are locked for as long as someone works on them: all attempts together last for two hours.
    private static func lockWait(attempt: Int) -> Duration {
        let seconds: [Int64] = [5, 15, 60, 300, 900, 1800, 3600]
        return .seconds(seconds[min(max(attempt, 1), seconds.count) - 1])
    }
}
