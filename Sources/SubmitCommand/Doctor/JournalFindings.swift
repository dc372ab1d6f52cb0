internal import Submit
internal import SubmitJournal
internal import SystemPackage

extension Examination {
    /// What the journal's file says, by looking at it alone.
    static func ofJournal(_ path: FilePath) -> Examination {
        var found = Examination()
        found.add("path", path.string)
        guard let journal = JournalExamination.of(path) else {
            found.add("state", "there is none yet")
            return found
        }
        found.add(
            "size",
            "\(journal.size) bytes, and \(journal.logSize) in its write-ahead log; mode \(String(journal.mode, radix: 8))"
        )
        found.add("integrity", journal.integrity)
        if let trouble = journal.trouble {
            found.troubles.append(trouble)
            return found
        }
        if journal.integrity != "ok" {
            found.troubles.append(
                "The journal is damaged: move it away, with all files that begin with its name, and send again.")
        }
        found.isCurrent = journal.version == JournalExamination.ownVersion
        found.add("version", "\(journal.version), and this program's is \(JournalExamination.ownVersion)")
        found.add("batches", journal.batches)
        found.add(
            "submissions", .facts(journal.counts.sorted { $0.key < $1.key }.map { ($0.key, .number(Int64($0.value))) }))
        found.add("workers", "\(journal.workers.alive) alive, \(journal.workers.dead) dead")
        if let oldest = journal.oldestWaiting { found.add("waiting since", JSONOutput.time(oldest)) }
        return found
    }
}
