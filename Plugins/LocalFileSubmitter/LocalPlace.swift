internal import Dispatch
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SubmitTransfer
internal import SystemPackage

/// The destination's root and what is shared by all who work in it.
final class LocalPlace: Sendable {
    let root: String
    let creates: Bool
    /// For sentences.
    let destination: String
    let committer = Committer()
    /// A disk is not made quicker by many who copy at once.
    private let copiers: AsyncSemaphore
    let names = FolderNames()
    /// Which of these are taken by other bytes.
    let allocator = NameAllocator()
    /// Held while a file is replaced, which may have no name meanwhile.
    let replacing = Locked(())
    private let memory: RememberedFolder
    private let marking = Locked(())

    /// - Parameter jobs: how many may copy at once.
    init(root: String, creates: Bool, jobs: Int, destination: String, notes: any DestinationNotes) {
        self.root = root
        self.creates = creates
        self.destination = destination
        copiers = AsyncSemaphore(jobs)
        memory = RememberedFolder(path: root, notes: notes)
    }

    /// Does something as one of a few copiers, after which they mostly ask the committer.
    func copying<Value: Sendable>(
        _ body: () async throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        try await committer.announcing { () async throws(SubmitFailure) in
            guard await copiers.acquire() else { throw .cancelled }
            defer { copiers.release() }
            return try await body()
        }
    }

    private enum Found<Value: Sendable>: Sendable {
        case value(Value)
        /// To be remembered before anything is done there.
        case home(RememberedRoot)
        case strange(SubmitFailure)
    }

    /// Does something in a folder below the root, and makes what is missing, once that is known to be the destination's
    /// own. Blocks a thread.
    ///
    /// - Parameter names: of the folder, spelled there as its file system takes them; `body` gets them so.
    /// - Parameter name: of what is to come into it.
    func makingFolder<Value: Sendable>(
        _ names: [String], for name: String? = nil,
        _ body:
            @escaping @Sendable (Folder, [String], FileNameRules) throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        try await inRoot(making: true) { [self] (root) throws(SubmitFailure) in
            let manners = try self.names.manners(for: names + (name.map { [$0] } ?? []), in: root)
            let spelled = names.map(manners.fitted)
            guard let folder = try open(spelled, in: root, creates: true) else {
                throw .file(.noSuchFileOrDirectory, self.root)
            }
            return try body(folder, spelled, manners)
        }
    }

    /// The same in a folder that may not be there, which is `nil` then. The root itself must be.
    ///
    /// - Parameter isSpelled: the names are those that the folder has; else those that were asked for.
    func inFolder<Value: Sendable>(
        _ names: [String], isSpelled: Bool = true,
        _ body: @escaping @Sendable (Folder?) throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        try await inRoot(making: false) { [self] (root) throws(SubmitFailure) in
            let spelled = isSpelled ? names : names.map(try self.names.manners(for: names, in: root).fitted)
            return try body(try open(spelled, in: root, creates: false))
        }
    }

    private func inRoot<Value: Sendable>(
        making: Bool, _ body: @escaping @Sendable (Folder) throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        var knowledge = await memory.knowledge()
        var isReread = false
        while true {
            let found = try await BlockingThreads.sources.run {
                [self, knowledge] () throws(SubmitFailure) -> Found<Value> in
                if Task.isCancelled { throw .cancelled }
                switch try look(knowledge, making: making) {
                case .value(let root): return .value(try body(root))
                case .home(let home): return .home(home)
                case .strange(let failure): return .strange(failure)
                }
            }
            switch found {
            case .value(let value): return value
            case .home(let home): knowledge = await memory.remember(home, insteadOf: knowledge.home)
            case .strange(let failure):
                if isReread { throw failure }
                knowledge = await memory.reread()
                isReread = true
            }
        }
    }

    /// Opens the root, if it is the destination's own. All that is done goes below what is opened here: whatever is mounted
    /// at its path meanwhile gets none of it.
    private func look(
        _ knowledge: RememberedFolder.Knowledge, making: Bool
    ) throws(SubmitFailure) -> Found<Folder> {
        let folder: Folder
        do throws(Errno) {
            folder = try Folder.root(root, creates: false)
        } catch .noSuchFileOrDirectory {
            if let home = knowledge.home {
                guard let there = FolderLocation(ofMissing: root), !there.traits.isDisjoint(with: home.traits) else {
                    return .strange(diskIsAway)
                }
                if let mark = home.mark, let renamed = renamedRoot(marked: mark) {
                    return .strange(rootIsRenamed(renamed))
                }
            } else if knowledge.expectsCopies {
                return .strange(copiesAreAway)
            } else if let doubt = systemDisk {
                return .strange(doubt)
            }
            guard making, creates else { throw .file(.noSuchFileOrDirectory, root) }
            folder = try SubmitFailure.at(root) { () throws(Errno) in try Folder.root(root, creates: true) }
        } catch {
            throw .file(error, root)
        }
        return try look(at: folder, knowledge, making: making)
    }

    private func look(
        at folder: Folder, _ knowledge: RememberedFolder.Knowledge, making: Bool
    ) throws(SubmitFailure) -> Found<Folder> {
        var mark = try SubmitFailure.at(root) { () throws(Errno) in try FolderMark.read(in: folder) }
        if let known = knowledge.home?.mark, known == mark, knowledge.isConfirmed || !making { return .value(folder) }
        let there = FolderLocation(of: folder.descriptor)
        if let home = knowledge.home {
            let isOurs = home.mark != nil && home.mark == mark || !there.traits.isDisjoint(with: home.traits)
            guard isOurs else { return .strange(diskIsAway) }
        } else if knowledge.expectsCopies, mark == nil,
            try SubmitFailure.at(root, { () throws(Errno) in try folder.visibleNames() }).isEmpty
        {
            return .strange(copiesAreAway)
        } else if !knowledge.expectsCopies, mark == nil, let doubt = systemDisk {
            return .strange(doubt)
        }
        guard making, !(knowledge.isConfirmed && knowledge.home?.mark == mark) else {
            if making { try FolderMark.removeLeft(in: folder) }
            return .value(folder)
        }
        // An emptied folder gets its old mark again, by which other journals know it too.
        let seen = mark
        // One at a time, also where nothing can be locked.
        mark = try marking.withLock { (_) throws(SubmitFailure) -> String? in
            let made = Result { () throws(SubmitFailure) -> String? in
                if let seen { return seen }
                return try FolderMark.make(knowledge.home?.mark, in: folder)
            }
            // Before it is remembered, after which nobody looks again.
            try FolderMark.removeLeft(in: folder)
            return try made.get()
        }
        guard mark != nil || !there.traits.isEmpty else { return .value(folder) }
        return .home(RememberedRoot(path: root, mark: mark, traits: there.traits))
    }

    /// Takes the folder that is there now for the destination's own.
    func move() async throws(SubmitFailure) -> String {
        let (home, source, count) = try await BlockingThreads.sources.run {
            [self] () throws(SubmitFailure) -> (RememberedRoot, String, Int) in
            let folder = try SubmitFailure.at(root) { () throws(Errno) in try Folder.root(root, creates: creates) }
            let there = FolderLocation(of: folder.descriptor)
            var (mark, count) = (String?.none, 0)
            try SubmitFailure.at(root) { () throws(Errno) in
                (mark, count) = (try FolderMark.read(in: folder), try folder.visibleNames().count)
            }
            if mark == nil { mark = try FolderMark.make(nil, in: folder) }
            return (RememberedRoot(path: root, mark: mark, traits: there.traits), there.source, count)
        }
        _ = await memory.remember(home)
        return "“\(destination)” is the folder “\(root)” on \(source) from now on, which has \(count) "
            + (count == 1 ? "entry." : "entries.")
    }

    /// Why a folder that was never used may be the wrong one: it would hide below the disk that is mounted there later.
    private var systemDisk: SubmitFailure? {
        ExpectedMount().missing(for: root).map { point in
            SubmitFailure(
                .hold(.unreachable, after: nil), code: Self.notMounted,
                message:
                    "Nothing is mounted at “\(point)”, so “\(root)” would be on the system disk. Mount the disk or share of "
                    + "“\(destination)”, or confirm that the system disk is meant.")
        }
    }

    private static let notMounted = "not-mounted"

    /// See ``HomeFacet/doubt()``.
    func doubt() async -> SubmitFailure? {
        do throws(SubmitFailure) {
            try await inFolder([]) { _ in }
            return nil
        } catch {
            return error.code == Self.notMounted ? error : nil
        }
    }

    private var diskIsAway: SubmitFailure {
        SubmitFailure(
            .hold(.unreachable, after: nil), code: "disk-away",
            message:
                "The disk of “\(root)” is not there: what has this path now is not the folder that “\(destination)” has used; "
                + "connect it, or say that it has moved if this is to be its folder from now on.")
    }

    /// The folder beside the missing root that has its mark: somebody renamed the root. A folder that was removed has left
    /// none.
    private func renamedRoot(marked mark: String) -> String? {
        guard let parent = Folder.parentPath(root), let folder = try? Folder.root(parent, creates: false),
            let names = try? folder.visibleNames()
        else { return nil }
        let name = names.prefix(Self.mostSiblings).first { name in
            guard let sibling = try? folder.folder(name, creates: false) else { return false }
            return (try? FolderMark.read(in: sibling)) == mark
        }
        return name.map { parent == "/" ? "/\($0)" : "\(parent)/\($0)" }
    }

    /// Entries that are looked at, at most.
    private static let mostSiblings = 2_000

    private func rootIsRenamed(_ renamed: String) -> SubmitFailure {
        SubmitFailure(
            .hold(.misconfigured, after: nil), code: "folder-renamed",
            message:
                "“\(renamed)” is the folder of “\(destination)”, and had the name “\(root)”: rename it back, or change the "
                + "path of the destination.")
    }

    private var copiesAreAway: SubmitFailure {
        SubmitFailure(
            .hold(.unreachable, after: nil), code: "disk-away",
            message: "“\(root)” is empty, where “\(destination)” has stored copies: connect its disk, or say "
                + "that it has moved if somebody else emptied it.")
    }

    private func open(_ names: [String], in root: Folder, creates: Bool) throws(SubmitFailure) -> Folder? {
        var folder = root
        for name in names {
            do throws(Errno) {
                guard let next = try folder.folder(name, creates: creates) else { return nil }
                folder = next
            } catch .notDirectory, .tooManySymbolicLinkLevels {
                throw SubmitFailure(
                    .giveUp, code: "not-a-folder",
                    message:
                        "“\(folder.path)/\(name)” is a file or a link and no folder; rename it or choose another album."
                )
            } catch .fileExists {
                throw SubmitFailure(
                    .giveUp, code: "name-taken",
                    message:
                        "“\(folder.path)” takes another name that is there for “\(name)”; rename that or choose another album."
                )
            } catch .noSuchFileOrDirectory where !FileNameRules.isPlain(name) {
                // So exFAT by FUSE calls a name that it does not take.
                throw .file(.invalidArgument, "\(folder.path)/\(name)")
            } catch {
                throw .file(error, "\(folder.path)/\(name)")
            }
        }
        return folder
    }

    /// Whether a path below the root leads to this file, which was opened or made below what was the root then.
    func leads(_ names: [String], to file: Folder.Identity) -> Bool {
        var there = stat()
        return lstat(([root] + names).joined(separator: "/"), &there) == 0 && Folder.Identity(there) == file
    }

    /// Throws unless a path below the root leads to the same bytes: the disk of what was the root when they were stored may
    /// have been unmounted meanwhile, and the copy went with it.
    ///
    /// - Parameter parent: the folder that it was stored in.
    func verify(_ names: [String], in parent: Folder, _ item: MediaItem) throws(SubmitFailure) {
        let path = ([root] + names).joined(separator: "/")
        let again = try SubmitFailure.at(root) { () throws(Errno) in try Folder.root(root, creates: false) }
        if let folder = try open(names.dropLast(), in: again, creates: false) {
            if case .same = try FileContent.compare(names.last!, in: folder, with: item) { return }
            // Whoever takes in what comes here would get it again and again.
            if folder.identity == parent.identity {
                throw SubmitFailure(
                    .outcomeUnknown, code: "taken-away",
                    message:
                        "“\(path)” was stored, and somebody took it away or changed it at once: see whether they have “\(item.name)”, "
                        + "and retry it if not.")
            }
        }
        throw SubmitFailure(
            .hold(.unreachable, after: nil), code: "disk-away",
            message:
                "“\(path)” was stored, and is not there now: its disk was taken away or its folder moved meanwhile; bring it back."
        )
    }

    /// The `file:` URL of a path below the root (RFC 8089).
    func url(of path: String) -> String {
        let hexadecimal = Array("0123456789ABCDEF".utf8)
        var url = Array("file://".utf8)
        for byte in (root == "/" ? "/\(path)" : "\(root)/\(path)").utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                url.append(byte)
            default:
                url += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
            }
        }
        return String(decoding: url, as: UTF8.self)
    }
}
