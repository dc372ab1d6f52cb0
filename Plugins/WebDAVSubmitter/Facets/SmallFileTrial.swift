internal import Submit
internal import SubmitHTTP

/// Stores a small file after an item failed, and removes it.
///
/// Its name is that of the submission's temporary file and `-trial`. If the process is killed in between, the submission's
/// next attempt removes it.
struct SmallFileTrial: TrialFacet {
    let server: DAVServer
    let discovery: DAVDiscovery

    /// Bytes: a full disk does not take another block.
    private static let size = 4096

    func trial(after item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) -> TrialResult {
        let scope = scope(of: context, on: try await discovery.profile())
        let path = scope.path
        await note(context, [1])
        return try await server.locking(scope, about: nil) { () async throws(SubmitFailure) in
            let answer = try await server.send(
                DAVRequest("PUT", path.encoded, body: .bytes([UInt8](repeating: 0x20, count: Self.size))))
            // Part of it may be there whatever the answer says.
            await remove(path, context)
            guard answer.isSuccess, !answer.isLoginPage else {
                throw server.failure(answer, at: path.description, file: nil)
            }
            return .stored
        }
    }

    /// Removes what an earlier trial left, e.g. because the process was killed.
    func clear(_ item: MediaItem, _ context: SubmissionContext) async throws(SubmitFailure) {
        guard context.attempt > 1, await discovery.notes.read(topic(context)) != nil else { return }
        let scope = scope(of: context, on: try await discovery.profile())
        try await server.locking(scope, about: item.name) { () async throws(SubmitFailure) in
            try await server.delete(scope.path, about: item.name)
        }
        await note(context, nil)
    }

    /// Removes the small file. If that fails, the next attempt does.
    private func remove(_ path: DAVPath, _ context: SubmissionContext) async {
        for _ in 0..<2 {
            do throws(SubmitFailure) {
                try await server.delete(path)
                return await note(context, nil)
            } catch {}
        }
    }

    private func scope(of context: SubmissionContext, on profile: ServerProfile) -> DAVServer.LockScope {
        DAVServer.LockScope(
            path: discovery.base(of: profile).appending(TemporaryName.of(context.submission, on: profile) + "-trial"),
            owner: UploadJob.lockOwner(context.submission), life: DAVServer.shortestLife)
    }

    private func topic(_ context: SubmissionContext) -> String { "small file \(context.submission)" }

    /// A note tells the next attempt about a file that a killed process left. Looking each time would cost a request.
    private func note(_ context: SubmissionContext, _ bytes: [UInt8]?) async {
        await discovery.notes.write(topic(context), bytes)
    }
}
