internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SubmitTransfer
internal import SystemPackage

/// One submission on its way into its folder: copied by a thread of its own, and then made durable and named by the
/// place's committer, together with others. Where a file system cannot do so with many at once, that thread does it: there
/// a file may be sent away only when it is closed.
///
/// Whoever has its turn uses it, one at a time.
final class LocalCopy: @unchecked Sendable {
    private let item: MediaItem
    private let context: SubmissionContext
    private let folder: Folder
    /// The names that lead to it from the root.
    private let parents: [String]
    /// The name it is to get, before it is spelled as its file system takes it and a number is put to it.
    private let asked: String
    private let manners: FileNameRules
    private let place: LocalPlace

    /// Under which name the item is there, and what is known of it.
    struct Outcome {
        var name: String
        var evidence = Evidence.verified
        var wasThere = false
        var note: String?
    }

    private enum State {
        /// The bytes have been copied, and have no name yet.
        case copied(TemporaryFile)
        /// They were there.
        case there(OpenFile)
        /// They have the name, in a file that was closed, and the disk may not know it yet.
        case named(Folder.Identity)
        case settled
    }

    private var state = State.settled
    private var outcome: Outcome
    private var search: NameSearch
    /// The name that is claimed in this process.
    private var claimed: String?
    /// A number whose name was refused as taken.
    private var taken = -1
    /// The file that is to be replaced, as it was seen.
    private var replaced: FileContent.Seen?
    /// It isn't another photo's copy.
    private var mayReplace = false
    private var tries = 0
    private var isThere = false
    private let isCancelled = Locked(false)

    /// Looks at a file that is to be replaced, which is another at each.
    private static let mostTries = 20

    /// Copies and proves, unless nothing is left to do. Blocks its thread, and ends when the task is cancelled.
    init(
        item: MediaItem, bytes: any MediaBytes, context: SubmissionContext, folder: Folder, parents: [String],
        asked: String, manners: FileNameRules, place: LocalPlace
    ) throws(SubmitFailure) {
        (self.item, self.context) = (item, context)
        (self.folder, self.parents, self.asked) = (folder, parents, asked)
        (self.manners, self.place) = (manners, place)
        outcome = Outcome(name: asked)
        let own = (parents + [manners.fitted(asked)]).joined(separator: "/")
        search = place.allocator.search(for: own, in: "“\(folder.path)”", of: item, policy: context.onConflict)
        try begin(bytes)
    }

    deinit { releaseClaim() }

    private func claim(_ name: String) -> Bool {
        if context.onConflict == .overwrite { return context.reserve(address(name)) }
        guard context.onConflict == .rename else { return true }
        let identity = identity(name)
        if claimed == identity { return true }
        guard place.allocator.claim(identity, for: item) else { return false }
        releaseClaim()
        claimed = identity
        return true
    }

    private func identity(_ name: String) -> String { "\(place.root)/\(path(name))" }

    private func releaseClaim() {
        if let claimed { place.allocator.release(claimed, of: item) }
        claimed = nil
    }

    private func begin(_ bytes: any MediaBytes) throws(SubmitFailure) {
        // Only under the name that was asked for is anything ever replaced.
        if context.attempt > 1 { try TemporaryFile.putBack(of: context.submission, to: asked, in: folder) }
        // Before anything of the first attempt is removed.
        let leavesPlaceholders =
            context.attempt > 1 ? try TemporaryFile.leftPlaceholder(of: context.submission, in: folder) : false
        guard try findName(leavesPlaceholders) else {
            // An attempt that was killed may have left its own, before the item came here in another way.
            return try TemporaryFile.remove(of: context.submission, in: folder)
        }
        let temporary = try SubmitFailure.at(folder.path, needed: item.size) { () throws(Errno) in
            try TemporaryFile(in: folder, submission: context.submission)
        }
        do throws(SubmitFailure) {
            if Task.isCancelled { throw .cancelled }
            try temporary.fill(with: item, from: bytes, sent: context.sent)
            try temporary.stamp(modified: item.modified, asCopyOf: bytes.fileDescriptor)
            if context.verification == .readback { try temporary.readBack(item, bytes) }
            try bytes.verifyUnchanged()
            state = .copied(temporary)
        } catch {
            state = .settled
            try giveUp(temporary, error)
        }
    }

    /// Asks whether the file with the name may be replaced, when only the rename is left.
    ///
    /// Another photo may have come there while this one was copied.
    private func askToReplace() async throws(SubmitFailure) {
        while replaced != nil, !mayReplace {
            mayReplace = try await context.mayReplace(address(candidate(search.number)))
            if mayReplace { return }
            try await BlockingThreads.sources.run { [self] () throws(SubmitFailure) in
                _ = try search.passOver(candidate(search.number), nil)
                try lookAgain()
            }
        }
    }

    /// Names the copy where files are not made durable together.
    private func nameAlone() async throws(SubmitFailure) {
        var isSynced = false
        while case .copied = state {
            let syncs = !isSynced
            isSynced = true
            try await BlockingThreads.sources.run { [self] () throws(SubmitFailure) in try nameAlone(syncs: syncs) }
            try await askToReplace()
        }
    }

    private func nameAlone(syncs: Bool) throws(SubmitFailure) {
        guard case .copied(let temporary) = state else { return }
        if syncs {
            try SubmitFailure.at(folder.path, needed: item.size) { () throws(Errno) in
                try Durability.sync(file: temporary.descriptor)
            }
        }
        if try giveName() { state = .named(temporary.identity) } else { try lookAgain() }
    }

    private func giveUp(_ temporary: TemporaryFile, _ error: SubmitFailure) throws(SubmitFailure) {
        // Nobody looks again after what is given up. Else the next attempt does, where it cannot be removed.
        if error.remedy == .giveUp { try temporary.remove() } else { try? temporary.remove() }
        throw error
    }

    /// Makes durable what is there, and only then gives the final name, which no one else's file ever loses.
    ///
    /// Nothing of it is open or left over when this returns or throws.
    func finish() async throws(SubmitFailure) -> Outcome {
        do throws(SubmitFailure) {
            try await askToReplace()
            if !folder.syncsTogether { try await nameAlone() }
            while let request {
                if try await committing(request) {
                    if !isThere {
                        try await BlockingThreads.sources.run { [self] () throws(SubmitFailure) in
                            try place.verify(parents + [candidate(search.number)], in: folder, item)
                        }
                    }
                    state = .settled
                } else {
                    try await place.committer.announcing { () async throws(SubmitFailure) in
                        try await BlockingThreads.sources.run { [self] () throws(SubmitFailure) in try lookAgain() }
                    }
                    try await askToReplace()
                }
            }
        } catch {
            let failure = error
            try await BlockingThreads.sources.run { [self] () throws(SubmitFailure) in
                defer { state = .settled }
                if case .copied(let temporary) = state { try giveUp(temporary, failure) }
            }
            throw failure
        }
        return outcome
    }

    private func committing(_ request: Committer.Request) async throws(SubmitFailure) -> Bool {
        let result: Result<Bool, SubmitFailure> = await withTaskCancellationHandler {
            do throws(SubmitFailure) {
                return .success(try await place.committer.commit(request))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        return try result.get()
    }

    /// What the committer is to do next; `nil` for nothing.
    private var request: Committer.Request? {
        var request = Committer.Request(folder: folder, size: item.size)
        switch state {
        case .settled: return nil
        case .there(let found): request.file = found.descriptor
        case .copied(let temporary):
            request.file = temporary.descriptor < 0 ? nil : temporary.descriptor
            request.name = { [self] () throws(SubmitFailure) in try giveName() }
        case .named: request.isCancellable = false
        }
        request.named = { [self] in look() }
        return request
    }

    private func look() {
        let file: Folder.Identity
        switch state {
        case .settled: return
        case .there(let found): file = Folder.Identity(of: found.descriptor)
        case .copied(let temporary): file = temporary.identity
        case .named(let identity): file = identity
        }
        isThere = place.leads(parents + [candidate(search.number)], to: file)
    }

    /// - Returns: false where the name is taken.
    private func giveName() throws(SubmitFailure) -> Bool {
        guard case .copied(let temporary) = state else { return true }
        if isCancelled.withLock({ $0 }) { throw .cancelled }
        temporary.leaveMemory()
        let number = search.number
        let name = candidate(number)
        if let replaced {
            guard try replace(replaced, as: name, with: temporary) else {
                tries += 1
                return false
            }
        } else {
            guard try temporary.rename(to: name, replacing: false) else {
                taken = number
                return false
            }
        }
        search.end()
        outcome = Outcome(name: name, note: note(name))
        return true
    }

    /// After a name that could not be given: looks for another one.
    private func lookAgain() throws(SubmitFailure) {
        if Task.isCancelled { throw .cancelled }
        guard tries < Self.mostTries else { throw changesMeanwhile }
        guard case .copied(let temporary) = state, try !findName(false) else { return }
        // Nobody looks again after what is done.
        try temporary.remove()
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

    /// Looks whether there is anything to copy, beginning where the search is. A name that was
    /// refused as taken is, whether or not it leads to anything: FAT with names in UTF-8 takes one that differs in case for
    /// the same, and finds it by its own spelling only.
    ///
    /// - Parameter leavesPlaceholders: an attempt that was killed may have left an empty file to hold the name.
    /// - Returns: false if not; else the search is at a number whose name can be taken.
    private func findName(_ leavesPlaceholders: Bool) throws(SubmitFailure) -> Bool {
        replaced = nil
        while true {
            let number = search.number
            let candidate = candidate(number)
            if context.onConflict == .rename, context.attempt == 1,
                place.allocator.isClaimed(identity(candidate), besides: item)
            {
                _ = try search.passOver(candidate, nil)
                continue
            }
            var found = try compare(candidate, isTaken: number == taken)
            if context.verification == .readback, case .same(let file) = found, try !isOnDisk(file) {
                found = .different(.digest, OtherContent(size: item.size))
            }
            var content: OtherContent?
            switch found {
            case .missing where number != taken:
                if claim(candidate) { return true }
            case .same(let file):
                let stored = try stored(candidate)
                (state, outcome) = (.there(file), Outcome(name: stored, wasThere: true, note: note(stored)))
                return false
            case .missing: break
            case .different, .unreadable:
                if leavesPlaceholders, let seen = try seen(candidate), seen.isEmpty {
                    (replaced, mayReplace) = (seen, true)
                    return true
                }
                if case .different(_, let other) = found { content = other } else { content = OtherContent() }
                if context.onConflict == .overwrite {
                    guard let seen = try seen(candidate) else {
                        throw SubmitFailure(
                            .giveUp, code: "name-taken",
                            message:
                                "“\(folder.path)/\(candidate)” is no file and was not replaced; rename it or the file.")
                    }
                    // A name that another photo may be spelled as, or that only leads to this file, says not that this is
                    // what was meant.
                    if number == 0, candidate == asked,
                        try stored(candidate).utf8.elementsEqual(candidate.utf8)
                    {
                        (replaced, mayReplace) = (seen, false)
                        return true
                    }
                }
            }
            if case .skip(let note) = try search.passOver(candidate, content) {
                state = .settled
                outcome = Outcome(name: candidate, evidence: .unknown, wasThere: true, note: note)
                return false
            }
        }
    }

    /// Whether what was found is the same where it is read from the disk, and not from what the system has in memory.
    private func isOnDisk(_ file: OpenFile) throws(SubmitFailure) -> Bool {
        try SubmitFailure.at(folder.path, needed: item.size) { () throws(Errno) in
            try Durability.sync(file: file.descriptor)
        }
        posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
        return try FileContent.sha256(file.descriptor, size: item.size, folder.path) == item.digests[.sha256]
    }

    private func address(_ name: String) -> CopyAddress { CopyAddress(path(name), url: place.url(of: path(name))) }

    /// The path below the root of a name in its folder.
    func path(_ name: String) -> String { (parents + [name]).joined(separator: "/") }

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

    private func note(_ stored: String) -> String? {
        if let note = search.note(stored, insteadOf: candidate(0)) { return note }
        return stored == asked
            ? nil : "It is called “\(stored)”, as “\(folder.path)” does not take the name “\(asked)”."
    }
}
