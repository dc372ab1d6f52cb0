internal import Dispatch
internal import Glibc
internal import Submit
internal import SystemPackage

/// One submission on its way into its folder. Blocks its thread.
struct LocalCopy {
    let item: MediaItem
    let bytes: any MediaBytes
    let context: SubmissionContext
    let folder: Folder
    /// The final name, before a number is put to it.
    let name: String
    let place: LocalPlace
    let isCancelled: @Sendable () -> Bool

    /// Under which name the item is there, and what is known of it.
    struct Outcome {
        var name: String
        var evidence = Evidence.verified
        var wasThere = false
        var note: String?
    }

    private static let mostNumbers = 9999

    /// Copies, proves, makes durable, and only then gives the final name, which no one else's file ever loses.
    func store() throws(SubmitFailure) -> Outcome {
        var number = 0
        if let outcome = try settled(from: &number) {
            // An attempt that was killed may have left its own, before the item came here in another way.
            TemporaryFile.remove(of: context.submission, in: folder)
            return outcome
        }
        let temporary = try provenCopy()
        try makeDurable(.file(temporary.descriptor, in: folder))
        // Memory is better spent on the sources, which other destinations read too. And pages that come back at once
        // are quicker to fill than ever fresh ones: it halves the kernel's time for small files.
        posix_fadvise(temporary.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        try bytes.verifyUnchanged()
        while true {
            if isCancelled() { throw .cancelled }
            if try temporary.rename(to: candidate(number), replacing: context.onConflict == .overwrite) { break }
            if let outcome = try settled(from: &number) { return outcome }
        }
        try makeDurable(.folder(folder))
        let note = "It is called “\(candidate(number))”, because another file has the name “\(name)”."
        return Outcome(name: candidate(number), note: number > 0 ? note : nil)
    }

    private func provenCopy() throws(SubmitFailure) -> TemporaryFile {
        place.copying.wait()
        defer { place.copying.signal() }
        if isCancelled() { throw .cancelled }
        let temporary = try SubmitFailure.at(folder.path, needed: item.size) { () throws(Errno) in
            try TemporaryFile(in: folder, submission: context.submission)
        }
        try temporary.fill(with: item, from: bytes, sent: context.sent, isCancelled: isCancelled)
        try temporary.stamp(modified: item.modified)
        return temporary
    }

    /// Looks whether there is anything left to do, beginning with a number for the name.
    ///
    /// - Returns: `nil` if not, and then `number` is one whose name can be taken.
    private func settled(from number: inout Int) throws(SubmitFailure) -> Outcome? {
        while number <= Self.mostNumbers {
            let candidate = candidate(number)
            switch try FileContent.compare(candidate, in: folder, with: item, isCancelled) {
            case .missing:
                return nil
            case .same(let file):
                try makeDurable(.file(file.descriptor, in: folder))
                try makeDurable(.folder(folder))
                return Outcome(name: candidate, wasThere: true)
            case .different, .unreadable:
                switch context.onConflict {
                case .rename: number += 1
                case .overwrite: return nil
                case .skip:
                    return Outcome(
                        name: candidate, evidence: .unknown, wasThere: true,
                        note: "Another file has the name “\(candidate)”; it was left alone and nothing was stored.")
                case .fail:
                    throw SubmitFailure(
                        .giveUp, code: "name-taken",
                        "Another file has the name “\(folder.path)/\(candidate)”; rename one of them.")
                }
            }
        }
        throw SubmitFailure(
            .giveUp, code: "name-taken",
            "“\(folder.path)” has \(Self.mostNumbers) other files called like “\(name)”; rename the file.")
    }

    private func candidate(_ number: Int) -> String {
        number == 0 ? name : FileName(name).numbered(number)
    }

    private func makeDurable(_ what: GroupCommit.Request) throws(SubmitFailure) {
        try SubmitFailure.at(folder.path, needed: item.size) { () throws(Errno) in try place.durability.commit(what) }
    }
}
