internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
package import SubmitStore

extension Reception {
    /// What the private folder takes: bytes of unfinished files, and of those kept as something of them is not proven yet.
    package func heldBytes() async throws(ReceivingRefusal) -> (unfinished: Int64, arrived: Int64) {
        let contents = await BlockingThreads.sources.run { [folder] in folder.contents() }
        var (unfinished, arrived): (Int64, Int64) = (0, 0)
        for (id, bytes) in contents {
            let row = try await stored { (store) throws(SubmitFailure) in try await store.incomingFile(id) }
            if row?.state.isOpen ?? false { unfinished += bytes } else if row != nil { arrived += bytes }
        }
        return (unfinished, arrived)
    }

    /// Lets go of what a session sent and what is kept as nobody has proven its copies, or as something of it failed. What waits
    /// stays.
    ///
    /// - Returns: how many files are gone by this.
    @discardableResult
    package func letGo(of session: SessionID) async throws(ReceivingRefusal) -> Int {
        var count = 0
        for file in try await stored({ (store) throws(SubmitFailure) in try await store.incomingFiles(of: session) })
        where file.state == .arrived && file.kept == nil {
            if await manager.tidySpool(folder.file(file.id), toRetry: false) { count += 1 }
        }
        return count
    }

    /// What one that was killed left: goes on with files that are whole, forgets bytes that nobody knows. To be called once,
    /// before anything is taken.
    package func tidy() async throws(ReceivingRefusal) {
        for row in try await stored({ (store) throws(SubmitFailure) in try await store.openIncomingFiles() }) {
            if row.state == .receiving { continue }
            do throws(ReceivingRefusal) {
                _ = try await finish(row)
            } catch {
                // Those that are not taken are told of as that; the others wait for the next time.
                continue
            }
        }
        try await expire()
        await manager.tidySpool()
    }

    /// Lets unfinished files go whose time is over, with their space, and invites that led to nothing. To be called now and then.
    ///
    /// - Returns: how many.
    @discardableResult
    package func expire() async throws(ReceivingRefusal) -> Int {
        let over = try await stored { (store) throws(SubmitFailure) in try await store.expireIncomingFiles() }
        await discardEnded(over)
        try await stored { (store) throws(SubmitFailure) in
            try await store.forgetInvites(endedFor: .seconds(24 * 3600))
        }
        return over.count
    }
}
