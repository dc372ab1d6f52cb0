internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// Stores a small file after an item failed, and removes it. This tells trouble with one item from trouble with the server.
///
/// If the server is in trouble, all items wait and no attempt counts. An item that the server never stores would wait
/// as long, unless other items arrive.
struct SmallFileTrial: Sendable {
    let server: DAVServer
    /// The small file, stored only for a moment.
    let path: DAVPath
    let item: MediaItem
    let context: SubmissionContext
    /// A note tells the next attempt about a file that a killed process left. Looking each time would cost a request.
    private let notes: any DestinationNotes
    private let topic: String
    /// The connection broke in such a way that the item may be the reason.
    let isSuspect = Locked(false)

    init(
        server: DAVServer, base: DAVPath, profile: ServerProfile, item: MediaItem, context: SubmissionContext,
        notes: any DestinationNotes
    ) {
        (self.server, self.item, self.context, self.notes) = (server, item, context, notes)
        topic = "small file \(context.submission)"
        path = base.appending(TemporaryName.of(context.submission, on: profile) + "-trial")
    }

    private var scope: DAVServer.LockScope {
        DAVServer.LockScope(
            path: path, owner: UploadJob.lockOwner(context.submission), life: DAVServer.shortestLife)
    }

    /// Removes what an earlier trial left, e.g. because the process was killed.
    func clear() async throws(SubmitFailure) {
        guard context.attempt > 1, await notes.read(topic) != nil else { return }
        try await server.locking(scope, about: item.name) { () async throws(SubmitFailure) in
            try await server.delete(path, about: item.name)
        }
        await notes.write(topic, nil)
    }

    /// Bytes: a full disk does not take another block.
    private static let size = 4096

    /// The failure as it is, or as one of the item alone if the small file was stored.
    ///
    /// The first failure says nothing, since most trouble is over by the next attempt.
    func judged(_ failure: SubmitFailure) async -> SubmitFailure {
        guard context.attempt > 1, case .tryAnother(let wait) = failure.remedy,
            ["server-error", "unavailable"].contains(failure.code) || isSuspect.withLock({ $0 }),
            await succeeds()
        else { return failure }
        return SubmitFailure(
            .retry(after: wait), code: failure.code,
            message:
                "“\(server.host)” did not store “\(item.name)” at “\(server.destination)” but took a small file right after it, "
                + "so this file is probably the reason: check its name, date and size, and the server's log.")
    }

    private func succeeds() async -> Bool {
        do throws(SubmitFailure) {
            await notes.write(topic, [1])
            return try await server.locking(scope, about: nil) { () async throws(SubmitFailure) in
                let answer = try await server.send(
                    DAVRequest("PUT", path.encoded, body: .bytes([UInt8](repeating: 0x20, count: Self.size))))
                // Part of it may be there whatever the answer says.
                await remove()
                guard answer.isSuccess else {
                    throw server.failure(answer, at: path.description, file: nil)
                }
                return !answer.isLoginPage
            }
        } catch {
            return false
        }
    }

    /// Removes the small file. If that fails, the next attempt does.
    private func remove() async {
        for _ in 0..<2 {
            do throws(SubmitFailure) {
                try await server.delete(path)
                return await notes.write(topic, nil)
            } catch {}
        }
    }
}
