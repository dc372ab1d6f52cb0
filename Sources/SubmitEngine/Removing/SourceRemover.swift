internal import Foundation
internal import Submit
internal import SubmitDigest
internal import SubmitStore
internal import SystemPackage

/// Removes one source for which enough copies are proven, or says why it stays.
///
/// The order makes it safe: the copies are looked at, the source is read and compared, its new place is written down, it
/// is put there by a move that replaces nothing, and the copies are looked at once more while it is away. A "copy" that
/// is the source itself, by whatever way, is gone with it: then it is put back. So is a source that a program wrote into by then,
/// or has open for writing. Only after that is anything final.
struct SourceRemover: Sendable {
    let store: any Store
    let lookers: [String: CopyLooker]
    /// Which copies count.
    var counting = VerifiedCopies.Kind.anywhere
    let open = OpenRequests()
    let writers = FileWriters()
    /// `$XDG_DATA_HOME`, or what stands for it.
    let dataHome: FilePath?
    /// Stops dead at a step, as a kill does.
    var isKilled: @Sendable (Step) -> Bool = { _ in false }

    /// Places in the trash that are tried while others take them.
    private static let mostPlaces = 100

    /// The moments between which a process may die.
    enum Step: Sendable, CaseIterable {
        case looked, compared, writtenDown, reserved, putAside, lookedAgain, deleted
    }

    enum Outcome: Sendable {
        /// Into the trash at a path, or for good.
        case removed(FilePath?)
        /// It stays for now.
        case waiting(SubmitFailure)
        case kept(SubmitFailure)
        case killed
    }

    func remove(_ source: RemovableSource) async throws(SubmitFailure) -> Outcome {
        let outcome = try await outcome(source)
        switch outcome {
        case .removed: try await store.settleRemoval(of: source, .removed)
        case .waiting(let failure): try await store.settleRemoval(of: source, .wanted(failure))
        case .kept(let failure): try await store.settleRemoval(of: source, .kept(failure))
        case .killed: break
        }
        return outcome
    }

    private func outcome(_ source: RemovableSource) async throws(SubmitFailure) -> Outcome {
        if let end = await putBack(source) { return end }
        if let end = unfit(source) { return end }
        if let need = try await need(of: source) { return .waiting(need.failure(source)) }
        let copies: VerifiedCopies
        switch try await VerifiedCopies.found(counting, of: source, in: store, by: lookers) {
        case .success(let verified): copies = verified
        case .failure(let lack):
            guard lack.mayPass else { return .kept(stays(source, lack)) }
            // What is lost cannot be repaired from it: nobody has to wait for that.
            return await hasOtherContent(source) ? .kept(changed(source)) : .waiting(stays(source, lack))
        }
        if isKilled(.looked) { return .killed }
        let file: GuardedFile
        do throws(SubmitFailure) {
            file = try GuardedFile.open(source.item, followsLinks: false)
        } catch {
            return error.code == "source-changed" ? .kept(changed(source)) : .waiting(stays(source, because: error))
        }
        if file.isWritten(by: writers) { return .waiting(stays(source, "a program is still writing it")) }
        do throws(SubmitFailure) {
            guard try await Digests.computed([.sha256], of: file)[.sha256] == source.item.digests[.sha256] else {
                return .kept(changed(source))
            }
        } catch {
            // Whether what changed while it was read is more than its marks is found out by the next reading.
            return .waiting(stays(source, because: error))
        }
        if isKilled(.compared) { return .killed }
        let aside: FilePath
        switch try await begin(source) {
        case .place(let place): aside = place
        case .ended(let end): return end
        }
        if isKilled(.reserved) { return .killed }
        if let failure = move(source, file, to: aside) {
            TrashCan.release(aside, of: source.item.source, mark: mark(source))
            return failure
        }
        let moved = file.marks
        if isKilled(.putAside) { return .killed }
        if let lack = await copies.lack(without: source) {
            let failure = stays(source, lack)
            return returnHome(source, from: aside) ?? (lack.mayPass ? .waiting(failure) : .kept(failure))
        }
        if isKilled(.lookedAgain) { return .killed }
        // The second look may take long, and whoever had the file open then could write into it. While the lease lasts, nobody can.
        let isWritten = file.isWritten(by: writers, keepsLease: true)
        defer { file.releaseLease() }
        // A share tells of the move itself when it likes.
        let isChanged = writers.isOnShare(aside, file.identity) ? false : file.marks != moved
        guard !isWritten, !isChanged, (try? file.verifyUnchanged()) != nil else {
            return returnHome(source, from: aside)
                ?? .waiting(stays(source, "a program wrote into it, or may still do so"))
        }
        guard source.removal.manner == .delete else { return .removed(aside) }
        guard aside.withPlatformString({ unlink($0) }) == 0 else {
            let failure = stays(source, "it could not be deleted (\(Errno(rawValue: errno)))")
            return returnHome(source, from: aside) ?? .waiting(failure)
        }
        if isKilled(.deleted) { return .killed }
        return .removed(nil)
    }

    // MARK: - The source

    /// Whether it is certain that it is no longer what was accepted. It is read only where its marks have changed.
    private func hasOtherContent(_ source: RemovableSource) async -> Bool {
        let file: GuardedFile
        do throws(SubmitFailure) {
            file = try GuardedFile.open(source.item, followsLinks: false)
        } catch {
            return error.code == "source-changed"
        }
        if file.identity.agrees(with: source.identity) { return false }
        guard let digests = try? await Digests.computed([.sha256], of: file) else { return false }
        return digests[.sha256] != source.item.digests[.sha256]
    }

    /// What no other source has, of no journal.
    private func mark(_ source: RemovableSource) -> String { "\(store.identity)-\(source.itemID)" }

    private enum Beginning {
        case place(FilePath)
        case ended(Outcome)
    }

    /// Writes down where the source is to be put, in the trash or under a hidden name beside its own, and only then takes
    /// that place: whoever dies leaves nothing there that the next one does not know of.
    private func begin(_ source: RemovableSource) async throws(SubmitFailure) -> Beginning {
        let path = source.item.source
        let mark = mark(source)
        for _ in 0..<Self.mostPlaces {
            let trash: TrashCan?
            let aside: FilePath
            do throws(SubmitFailure) {
                switch source.removal.manner {
                case .trash:
                    let can = try TrashCan.holding(path, home: dataHome)
                    (trash, aside) = (can, try can.freePlace(for: path))
                case .delete:
                    (trash, aside) = (nil, path.removingLastComponent().appending(".submit-removed-\(mark)"))
                }
            } catch {
                return .ended(.waiting(error))
            }
            let need = try await lastNeed(of: source, to: aside)
            if let need { return .ended(.waiting(need.failure(source))) }
            if isKilled(.writtenDown) { return .ended(.killed) }
            do throws(SubmitFailure) {
                guard let trash else { return .place(aside) }
                if try trash.reserve(aside, for: path, mark: mark) { return .place(aside) }
            } catch {
                return .ended(.waiting(error))
            }
        }
        return .ended(.waiting(stays(source, "others took every place in the trash first")))
    }

    /// Moves the very file that was compared.
    private func move(_ source: RemovableSource, _ file: GuardedFile, to aside: FilePath) -> Outcome? {
        do throws(SubmitFailure) {
            try file.verifyUnchanged()
        } catch {
            return .waiting(stays(source, because: error))
        }
        guard file.isStillInPlace else { return .waiting(stays(source, "something else has its name by now")) }
        do throws(Errno) {
            try source.item.source.renamed(to: aside)
        } catch {
            return .waiting(stays(source, "it could not be moved to “\(aside)” (\(error))"))
        }
        // Whoever saved it anew at this moment moved another file under its name.
        let moved = try? FileStatus.of(aside)
        guard moved?.inode == file.identity.inode, moved?.device == file.identity.device,
            (try? file.verifyUnchanged()) != nil
        else {
            return returnHome(source, from: aside) ?? .waiting(stays(source, "it was changed at this moment"))
        }
        return nil
    }

    /// Puts a source back to its place.
    ///
    /// - Returns: what there is to tell where that is impossible.
    private func returnHome(_ source: RemovableSource, from aside: FilePath) -> Outcome? {
        do throws(Errno) {
            try aside.renamed(to: source.item.source)
            if source.removal.manner == .trash { TrashCan.release(aside, of: source.item.source, mark: mark(source)) }
            return nil
        } catch {
            return .kept(
                SubmitFailure(
                    .giveUp, code: "source-aside",
                    message:
                        "“\(source.item.source)” could not be put back to its place (\(error)): it is at “\(aside)”."))
        }
    }

    /// Makes good what a removal that was broken off left.
    ///
    /// - Returns: `nil` where the removal begins anew.
    private func putBack(_ source: RemovableSource) async -> Outcome? {
        guard let aside = source.aside else { return nil }
        let place = source.item.source
        guard let there = try? FileStatus.of(aside) else {
            guard isMounted(aside, source) else { return .waiting(notMounted(source, aside)) }
            if source.removal.manner == .trash { TrashCan.release(aside, of: source.item.source, mark: mark(source)) }
            // Deleted by us, or taken out of the trash by its owner.
            return FileStatus.exists(place) ? nil : .removed(nil)
        }
        // It was never moved: someone else took the place that was written down, before we did.
        if let original = try? FileStatus.of(place), original.inode == source.identity.inode,
            original.modified == source.identity.modified, original.inode != there.inode
        {
            return nil
        }
        switch await isSource(aside, there, source) {
        case true?: break
        // Something else of its owner's has come to have the name.
        case false?: return FileStatus.exists(place) ? nil : .removed(nil)
        case nil: return .waiting(stays(source, "“\(aside)”, where it may have been put, cannot be read"))
        }
        guard let original = try? FileStatus.of(place), original.inode == there.inode, original.device == there.device
        else {
            return returnHome(source, from: aside)
        }
        // Where a rename is a link and the end of the old name, both may be there.
        guard aside.withPlatformString({ unlink($0) }) == 0 else {
            return .waiting(
                stays(source, "its second name “\(aside)” could not be removed (\(Errno(rawValue: errno)))"))
        }
        if source.removal.manner == .trash { TrashCan.release(aside, of: source.item.source, mark: mark(source)) }
        return nil
    }

    /// Whether what lies where the source was to be put is the source. By its bytes, since a card's file system gives its
    /// files other numbers each time it is put in; `nil`: that cannot be read.
    private func isSource(_ aside: FilePath, _ status: FileStatus, _ source: RemovableSource) async -> Bool? {
        guard status.isFile, status.size == source.item.size else { return false }
        if status.inode == source.identity.inode, status.modified == source.identity.modified { return true }
        // In the trash, its owner's own copy of the same photo is none of ours.
        if source.removal.manner == .trash, !TrashCan.isTaken(aside, for: source.item.source) { return false }
        var item = source.item
        item.source = aside
        guard let file = try? GuardedFile.open(item, followsLinks: false),
            let digests = try? await Digests.computed([.sha256], of: file)
        else { return nil }
        return digests[.sha256] == source.item.digests[.sha256]
    }

    /// Why it cannot be removed at all, or not now, before any destination is asked.
    private func unfit(_ source: RemovableSource) -> Outcome? {
        let place = source.item.source
        if let status = try? FileStatus.of(place) {
            return status.isFile
                ? nil : .kept(stays(source, "it is a link or no plain file, and so not the photo itself"))
        }
        // What cannot be looked at is told of when it is opened.
        if FileStatus.exists(place) { return nil }
        guard isMounted(place, source) else { return .waiting(notMounted(source, place)) }
        return .kept(
            SubmitFailure(
                .giveUp, code: "source-gone",
                message: "“\(place)” was gone before it was to be removed: somebody else did that."))
    }

    /// Whether the folder is there, on the disk that the source was on.
    private func isMounted(_ path: FilePath, _ source: RemovableSource) -> Bool {
        (try? FileStatus.of(path.removingLastComponent(), followsLinks: true))?.device == source.identity.device
    }

    private func notMounted(_ source: RemovableSource, _ path: FilePath) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "source-away",
            message:
                "“\(source.item.source)” was not removed: the folder of “\(path)” is not there, or on another disk than before; put "
                + "its disk in.")
    }

    /// Why it is still needed; `nil` when nothing in the journal needs it.
    private func need(of source: RemovableSource) async throws(SubmitFailure) -> SourceNeed? {
        try await need(of: source) { (others) async throws(SubmitFailure) in
            try await store.need(of: source, besides: others)
        }
    }

    /// The same, writing down that it is about to be put aside where nothing does.
    private func lastNeed(of source: RemovableSource, to aside: FilePath) async throws(SubmitFailure) -> SourceNeed? {
        try await need(of: source) { (others) async throws(SubmitFailure) in
            try await store.beginRemoval(of: source, to: aside, besides: others)
        }
    }

    /// Acceptances that do not mean the source are none that need it, and new ones may come while that is found out.
    private func need(
        of source: RemovableSource, _ ask: (Set<AcceptanceID>) async throws(SubmitFailure) -> SourceNeed?
    ) async throws(SubmitFailure) -> SourceNeed? {
        var others = open.notMeaning(source.item.source)
        while true {
            let need = try await ask(others)
            guard case .acceptance(let acceptance)? = need, !open.mayMean(source.item.source, acceptance) else {
                return need
            }
            others.insert(acceptance.id)
        }
    }

    // MARK: - Sentences

    private func stays(_ source: RemovableSource, _ lack: VerifiedCopies.Lack) -> SubmitFailure {
        var failure = stays(source, lack.why)
        if lack.isCurable { failure.code = "source-not-read-back" }
        return failure
    }

    private func stays(_ source: RemovableSource, _ why: String) -> SubmitFailure {
        SubmitFailure(.giveUp, code: "source-kept", message: "“\(source.item.source)” was not removed: \(why).")
    }

    private func changed(_ source: RemovableSource) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "source-changed",
            message: "“\(source.item.source)” was not removed: it has other content than was accepted; submit it again."
        )
    }

    private func stays(_ source: RemovableSource, because failure: SubmitFailure) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "source-kept", message: "“\(source.item.source)” was not removed yet: \(failure.message)")
    }
}

extension SourceNeed {
    fileprivate func failure(_ source: RemovableSource) -> SubmitFailure {
        let code =
            switch self {
            case .submission(_, _, isFailed: true): "source-needed-by-failed"
            case .acceptance: "source-needed-by-acceptance"
            case .submission, .anotherProcess: "source-needed"
            }
        return SubmitFailure(.giveUp, code: code, message: "“\(source.item.source)” was not removed: \(why).")
    }

    /// A sentence without its end.
    var why: String {
        switch self {
        case .submission(_, let destination, isFailed: false): "it is still waiting for \(destination)"
        case .submission(let id, let destination, isFailed: true):
            "its submission \(id) to \(destination) has failed and would need it, when somebody tries that again"
        case .acceptance(let open):
            "it may be one of the files that batch \(open.batch) has yet to accept, when somebody completes that"
        case .anotherProcess: "another process is at it"
        }
    }
}
