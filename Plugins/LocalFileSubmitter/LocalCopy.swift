internal import Dispatch
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SystemPackage

/// One submission on its way into its folder. Blocks its thread, and ends when the task is cancelled.
struct LocalCopy {
    let item: MediaItem
    let bytes: any MediaBytes
    let context: SubmissionContext
    let folder: Folder
    /// The names that lead to it from the root.
    let parents: [String]
    /// The name it is to get, before it is spelled as its file system takes it and a number is put to it.
    let asked: String
    let manners: FileNameRules
    let place: LocalPlace

    /// Under which name the item is there, and what is known of it.
    struct Outcome {
        var name: String
        var evidence = Evidence.verified
        var wasThere = false
        var note: String?
    }

    private static let mostNumbers = 9999
    /// Looks at a file that is to be replaced, which is another at each.
    private static let mostTries = 20

    /// Copies, proves, makes durable, and only then gives the final name, which no one else's file ever loses.
    func store() throws(SubmitFailure) -> Outcome {
        // Only under the name that was asked for is anything ever replaced.
        if context.attempt > 1 { try TemporaryFile.putBack(of: context.submission, to: asked, in: folder) }
        // Before anything of the first attempt is removed.
        let leavesPlaceholders =
            context.attempt > 1 ? try TemporaryFile.leftPlaceholder(of: context.submission, in: folder) : false
        var number = 0
        var replaced: FileContent.Seen?
        if let outcome = try settled(from: &number, &replaced, leavesPlaceholders) {
            // An attempt that was killed may have left its own, before the item came here in another way.
            try TemporaryFile.remove(of: context.submission, in: folder)
            return outcome
        }
        let temporary = try SubmitFailure.at(folder.path, needed: item.size) { () throws(Errno) in
            try TemporaryFile(in: folder, submission: context.submission)
        }
        do throws(SubmitFailure) {
            return try store(temporary, from: number, replaced)
        } catch {
            // Nobody looks again after what is given up.
            if error.remedy == .giveUp { try temporary.remove() }
            throw error
        }
    }

    private func store(
        _ temporary: TemporaryFile, from number: Int, _ replaced: FileContent.Seen?
    ) throws(SubmitFailure) -> Outcome {
        var (number, replaced) = (number, replaced)
        try fill(temporary)
        try makeDurable(.file(temporary.descriptor, in: folder))
        // Memory is better spent on the sources, which other destinations read too. And pages that come back at once
        // are quicker to fill than ever fresh ones: it halves the kernel's time for small files.
        posix_fadvise(temporary.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        try bytes.verifyUnchanged()
        var (tries, taken) = (0, -1)
        while true {
            if Task.isCancelled { throw .cancelled }
            if let replaced {
                if try replace(replaced, as: candidate(number), with: temporary) { break }
                tries += 1
            } else if try temporary.rename(to: candidate(number), replacing: false) {
                break
            } else {
                taken = number
            }
            guard tries < Self.mostTries else { throw changesMeanwhile }
            if let outcome = try settled(from: &number, &replaced, false, taken: taken) {
                // Nobody looks again after what is done.
                try temporary.remove()
                return outcome
            }
        }
        try makeDurable(.folder(folder))
        try place.verify(parents + [candidate(number)], in: folder, leadTo: temporary.identity, item)
        return Outcome(name: candidate(number), note: note(candidate(number), number))
    }

    /// - Returns: false if what was to be replaced a while ago is another's by now.
    private func replace(
        _ replaced: FileContent.Seen, as name: String, with temporary: TemporaryFile
    ) throws(SubmitFailure) -> Bool {
        try place.replacing.withLock { (_) throws(SubmitFailure) in
            guard try seen(name).map(replaced.isUnchanged) == true else { return false }
            return try temporary.rename(to: name, replacing: true)
        }
    }

    /// What a name leads to. Where it was refused as taken and leads to nothing, that is looked at again while nobody here
    /// puts anything aside.
    private func compare(_ name: String, isTaken: Bool) throws(SubmitFailure) -> FileContent.Comparison {
        let found = try FileContent.compare(name, in: folder, with: item)
        guard isTaken, case .missing = found else { return found }
        return try place.replacing.withLock { (_) throws(SubmitFailure) in
            try FileContent.compare(name, in: folder, with: item)
        }
    }

    private func fill(_ temporary: TemporaryFile) throws(SubmitFailure) {
        place.copying.wait()
        defer { place.copying.signal() }
        if Task.isCancelled { throw .cancelled }
        try temporary.fill(with: item, from: bytes, sent: context.sent)
        try temporary.stamp(modified: item.modified, asCopyOf: bytes.fileDescriptor)
    }

    /// Looks whether there is anything left to do, beginning with a number for the name.
    ///
    /// - Parameters:
    ///   - replaced: the file that is to be replaced, as it was seen; `nil` where none is.
    ///   - leavesPlaceholders: an attempt that was killed may have left an empty file to hold the name.
    ///   - taken: a number whose name was refused as taken, whether or not it leads to anything: FAT with names in UTF-8
    ///     takes one that differs in case for the same, and finds it by its own spelling only.
    /// - Returns: `nil` if not, and then `number` is one whose name can be taken.
    private func settled(
        from number: inout Int, _ replaced: inout FileContent.Seen?, _ leavesPlaceholders: Bool, taken: Int = -1
    ) throws(SubmitFailure) -> Outcome? {
        replaced = nil
        while number <= Self.mostNumbers {
            let candidate = candidate(number)
            let found = try compare(candidate, isTaken: number == taken)
            switch found {
            case .missing where number != taken:
                return nil
            case .same(let file):
                try makeDurable(.file(file.descriptor, in: folder))
                try makeDurable(.folder(folder))
                try place.verify(
                    parents + [candidate], in: folder, leadTo: Folder.Identity(of: file.descriptor), item)
                let stored = try stored(candidate)
                return Outcome(name: stored, wasThere: true, note: note(stored, number))
            case .missing, .different, .unreadable:
                let seen = try seen(candidate)
                if leavesPlaceholders, let seen, seen.isEmpty {
                    replaced = seen
                    return nil
                }
                switch context.onConflict {
                case .rename: number += 1
                case .overwrite where found.isMissing: number += 1
                case .overwrite:
                    guard let seen else {
                        throw SubmitFailure(
                            .giveUp, code: "name-taken",
                            message:
                                "“\(folder.path)/\(candidate)” is no file and was not replaced; rename it or the file.")
                    }
                    // A name that another photo may be spelled as, or that only leads to this file, says not that this is
                    // what was meant.
                    if number == 0, candidate == asked, try stored(candidate).utf8.elementsEqual(candidate.utf8) {
                        replaced = seen
                        return nil
                    }
                    number += 1
                case .skip:
                    return Outcome(
                        name: candidate, evidence: .unknown, wasThere: true,
                        note: "Another file has the name “\(candidate)”; it was left alone and nothing was stored.")
                case .fail:
                    throw SubmitFailure(
                        .giveUp, code: "name-taken",
                        message: "Another file has the name “\(folder.path)/\(candidate)”; rename one of them.")
                }
            }
        }
        throw SubmitFailure(
            .giveUp, code: "name-taken",
            message:
                "“\(folder.path)” has \(Self.mostNumbers) other files called like “\(candidate(0))”; rename the file.")
    }

    private func seen(_ name: String) throws(SubmitFailure) -> FileContent.Seen? {
        try SubmitFailure.at("\(folder.path)/\(name)") { () throws(Errno) in try FileContent.seen(name, in: folder) }
    }

    private var changesMeanwhile: SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "changing",
            message: "“\(folder.path)/\(asked)” was not replaced, as somebody changes it all the time; try again.")
    }

    private func candidate(_ number: Int) -> String { manners.numbered(manners.fitted(asked), number) }

    /// What a name that leads to a file is really called: where names fold, another photo's may.
    private func stored(_ name: String) throws(SubmitFailure) -> String {
        guard try place.names.manners(in: folder.root).folds else { return name }
        return try SubmitFailure.at(folder.path) { () throws(Errno) in try place.names.stored(name, in: folder) }
    }

    private func note(_ stored: String, _ number: Int) -> String? {
        if number > 0 { return "It is called “\(stored)”, because another file has the name “\(candidate(0))”." }
        return stored == asked
            ? nil : "It is called “\(stored)”, as “\(folder.path)” does not take the name “\(asked)”."
    }

    private func makeDurable(_ what: GroupSync.Request) throws(SubmitFailure) {
        try SubmitFailure.at(folder.path, needed: item.size) { () throws(Errno) in try place.durability.commit(what) }
    }
}
