internal import GRDB
package import Submit
internal import SubmitPlatform
internal import SystemPackage

/// How much of the disk a journal takes, and took before.
package struct Compaction: Sendable, Hashable {
    package var bytesBefore: Int64
    package var bytes: Int64
    /// Why what was freed in the file was not given back to the disk: a sentence.
    package var obstacle: String?

    package init(bytesBefore: Int64, bytes: Int64) {
        (self.bytesBefore, self.bytes) = (bytesBefore, bytes)
    }
}

extension Journal {
    /// Bytes of the file, of which as much is free.
    package func size() async throws(SubmitFailure) -> (bytes: Int64, free: Int64) {
        try await read { db in try Self.size(db) }
    }

    /// Bytes of the file if a share of its rows were gone, and what that frees were given back: about.
    package func size(without share: Double) async throws(SubmitFailure) -> Int64 {
        try await read { db in
            let (now, page) = (try Self.size(db), try Int64.readOne(db, sql: "PRAGMA page_size") ?? 0)
            // Each table and index has a page, be it empty.
            let roots = try Int64.readOne(db, sql: "SELECT count(*) FROM sqlite_master WHERE rootpage > 0") ?? 0
            return now.bytes - now.free - Int64(Double(max(0, now.bytes - now.free - page * roots)) * share)
        }
    }

    private static func size(_ db: Database) throws -> (bytes: Int64, free: Int64) {
        func number(_ name: String) throws -> Int64 { try Int64.readOne(db, sql: "PRAGMA \(name)") ?? 0 }
        let page = try number("page_size")
        return (try number("page_count") * page, try number("freelist_count") * page)
    }

    /// Gives back to the disk what is free in the file.
    ///
    /// Little by little, between what others write, and without taking more of the disk. A journal that an older version made
    /// has to be written anew for that, once: that takes twice its size of the disk for a while, and is left undone where
    /// there is not as much room, or somebody else works on it, who would have to wait.
    package func compact() async throws(SubmitFailure) -> Compaction {
        let before = try await size()
        var compaction = Compaction(bytesBefore: before.bytes, bytes: before.bytes)
        if try await read({ db in try Int.readOne(db, sql: "PRAGMA auto_vacuum") }) == 2 {
            var left = before.free
            while left > 0 {
                let now = try await write(.patient) { db in
                    // Each step of the statement frees a page.
                    _ = try Row.fetchAll(db, sql: "PRAGMA incremental_vacuum(256)")
                    return try Self.size(db).free
                }
                if now >= left { break }
                left = now
            }
        } else if before.free > 0 {
            compaction.obstacle = try await obstacle(to: before.bytes - before.free)
            if compaction.obstacle == nil {
                try await commits.look { db in
                    try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
                }.get()
            }
        }
        (pool as? DatabasePool)?.carryOver()
        compaction.bytes = try await size().bytes
        return compaction
    }

    /// Why the file is not to be written anew now.
    private func obstacle(to bytes: Int64) async throws(SubmitFailure) -> String? {
        let others = try await read { [own] db in try self.workers(db).filter { $0.key != own.registered && $0.value } }
        if !others.isEmpty {
            return
                "An older version made this journal: it gets smaller when it is pruned while nobody else works on it."
        }
        var status = statvfs()
        guard path.withPlatformString({ statvfs($0, &status) }) == 0 else { return nil }
        let free = Int64(clamping: UInt64(status.f_bavail)).multipliedReportingOverflow(by: Int64(status.f_frsize))
        if !free.overflow, free.partialValue / 2 < bytes {
            return "An older version made this journal: it gets smaller when it is pruned with \(bytes * 2) bytes free."
        }
        return nil
    }
}
