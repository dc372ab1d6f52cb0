internal import Foundation
internal import Submit
internal import SubmitConcurrency
public import SubmitEngine
internal import SubmitPlatform
internal import SubmitStore
public import SystemPackage

/// Tells of the files that come to be below a folder, each when it is whole: what writes it has closed it, and it has not
/// changed for a while. What came while nobody watched is found by walking, and so is what the kernel had no room to tell.
///
/// Names that programs give to what is not whole are passed over (``TemporaryNames``), and so are hidden ones. A folder that
/// goes away is waited for. One that another machine writes into, such as a share, is walked again and again.
///
/// Nobody can tell whether a program that was killed left half a file behind.
public final class FolderWatcher: Sendable {
    /// What it tells.
    public enum Finding: Sendable {
        /// Files that are whole, or were changed and are whole again; some of them may be known.
        case settled([FilePath])
        /// The folder is not there, with a sentence that says so.
        case gone(String)
        /// It is there again.
        case back
        /// It is walked again and again, with a sentence that says why.
        case polled(String)
    }

    /// The folder, absolute.
    public let folder: FilePath
    private let settling: Duration
    private let polling: Duration
    private let takesHidden: Bool
    private let takesPreviews: Bool
    private let filter: SourceFilter
    private let copies: Locked<CopyFolders>
    private let wakeUp = AsyncEvent()
    private let mountsChanged = Locked(false)

    /// A walk of all there is, for whatever nobody was told of.
    private static let rounds = Duration.seconds(3600)
    private static let lookAfterFolder = Duration.seconds(2)
    private static let mostAtOnce = 512

    /// - Parameters:
    ///   - folder: absolute.
    ///   - settling: how long a file has to stay as it is.
    ///   - polling: how often a folder is walked of which the kernel does not tell all.
    ///   - takesHidden: what is hidden is told of, too.
    ///   - takesPreviews: what cameras and programs make small versions of films and photos for is told of, too.
    ///   - filter: only what its rules take is told of, and what they leave out is not watched.
    ///   - copies: folders in which destinations store their copies. They are not watched.
    public init(
        _ folder: FilePath, settling: Duration = .seconds(2), polling: Duration = .seconds(60),
        takesHidden: Bool = false, takesPreviews: Bool = false,
        filter: SourceFilter = SourceFilter(), leavingOut copies: [FilePath] = []
    ) {
        self.copies = Locked(CopyFolders(copies))
        self.filter = filter
        self.folder = folder
        self.settling = settling
        self.polling = polling
        self.takesHidden = takesHidden
        self.takesPreviews = takesPreviews
    }

    /// A file that is not known to be whole.
    private struct Pending {
        var seen: SourceIdentity?
        var until: ContinuousClock.Instant
    }

    /// What one task works with.
    private struct Watched {
        var notices: DirectoryNotices?
        var pending: [FilePath: Pending] = [:]
        /// Marks of what was told, so that a walk tells only of what is new.
        var told: Set<Int> = []
        var root: FileMark?
        var isPolled = false
        var isPollingTold = false
        /// What was there at first is whole.
        var isWalked = false
        /// How often what could not be read was told of in vain.
        var vain: [FilePath: Int] = [:]
        var nextWalk = ContinuousClock.now
        var nextLook = ContinuousClock.now
    }

    /// Which file or folder it is, whatever its name.
    private struct FileMark: Equatable {
        var device: UInt64
        var inode: UInt64

        init?(_ path: FilePath) {
            var status = stat()
            guard path.withPlatformString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                return nil
            }
            (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
        }
    }

    /// Watches until the task is cancelled.
    ///
    /// - Parameter tell: called with one finding after the other; while it works, more is collected. Those of the files that it
    ///   returns could not be read, and are told of again in a while.
    public func run(_ tell: @Sendable (Finding) async -> [FilePath]) async {
        // A disk may be mounted on a folder below it.
        let mounts = Task { [self] in
            for await _ in MountNotices.stream() {
                mountsChanged.withLock { $0 = true }
                wakeUp.signal()
            }
        }
        // A share that does not answer holds a thread of its own.
        await withTaskExecutorPreference(BlockingThreads.sources) { await work(tell) }
        mounts.cancel()
    }

    private func work(_ tell: @Sendable (Finding) async -> [FilePath]) async {
        var watch = Watched()
        while !Task.isCancelled {
            await lookAfterFolder(&watch, tell)
            if watch.root != nil {
                takeNotices(&watch)
                if mountsChanged.withLock({ changed in
                    defer { changed = false }
                    return changed
                }) {
                    watch.nextWalk = .now
                }
                if watch.nextWalk <= .now { walk(&watch) }
                if watch.isPolled, !watch.isPollingTold {
                    watch.isPollingTold = true
                    watch.nextWalk = min(watch.nextWalk, .now + polling)
                    _ = await tell(.polled(Self.noNotices(folder, "fs.inotify.max_user_watches")))
                }
                let settled = takeSettled(&watch)
                for start in stride(from: 0, to: settled.count, by: Self.mostAtOnce) where !Task.isCancelled {
                    let told = Array(settled[start..<min(settled.count, start + Self.mostAtOnce)])
                    putOff(Set(await tell(.settled(told))), of: told, &watch)
                }
            }
            let next = watch.pending.values.lazy.map(\.until).min() ?? watch.nextLook
            let pause = max(Duration.milliseconds(20), min(next, watch.nextWalk, watch.nextLook) - .now)
            await withTaskCancellationHandler {
                await wakeUp.wait(milliseconds: Int64(pause / .milliseconds(1)))
            } onCancel: {
                wakeUp.signal()
            }
        }
    }

    // MARK: The folder itself

    /// It may have gone, come back, or be another one: a disk was mounted over it.
    private func lookAfterFolder(_ watch: inout Watched, _ tell: @Sendable (Finding) async -> [FilePath]) async {
        guard watch.nextLook <= .now else { return }
        watch.nextLook = .now + Self.lookAfterFolder
        let mark = FileMark(folder)
        if let mark, mark == watch.root { return }
        let isFirst = watch.root == nil && watch.notices == nil
        let wasThere = watch.root != nil
        watch.root = mark
        watch.notices = nil
        watch.pending = [:]
        guard mark != nil else {
            if wasThere || isFirst {
                _ = await tell(.gone("“\(folder)” is not there: what comes into it is sent when it is."))
            }
            // So that it is told once.
            watch.notices = DirectoryNotices { [wakeUp] in wakeUp.signal() }
            return
        }
        if !isFirst { _ = await tell(.back) }
        watch.notices = DirectoryNotices { [wakeUp] in wakeUp.signal() }
        watch.nextWalk = .now
        let reason =
            FileWriters.isShare(folder)
            ? "“\(folder)” is a share, into which others write: it is looked through every \(polling.components.seconds) seconds."
            : watch.notices == nil ? Self.noNotices(folder, "fs.inotify.max_user_instances") : nil
        (watch.isPolled, watch.isPollingTold, watch.isWalked) = (reason != nil, reason != nil, false)
        if let reason { _ = await tell(.polled(reason)) }
    }

    private static func noNotices(_ folder: FilePath, _ setting: String) -> String {
        "“\(folder)” cannot be watched whole, and is looked through again and again: raise \(setting) (sysctl)."
    }

    // MARK: What comes

    private func takeNotices(_ watch: inout Watched) {
        for notice in watch.notices?.take() ?? [] where !Task.isCancelled {
            switch notice {
            case .file(let path): wait(for: path, &watch)
            case .folder(let path): if isMeant(path, isFolder: true) { walk(path, &watch, tellsOld: false) }
            case .gone(let path, let isFolder):
                watch.pending[path] = nil
                if !isFolder { continue }
                watch.notices?.forget(path)
                watch.pending = watch.pending.filter { !$0.key.starts(with: path) }
            case .folderGone(let path):
                // One that is made anew at once may bear its number.
                if path == folder { (watch.root, watch.nextLook) = (nil, .now) }
            case .overflow: watch.nextWalk = .now
            }
        }
    }

    private func isMeant(_ path: FilePath, isFolder: Bool) -> Bool {
        let isHidden = path.lastComponent?.withPlatformString { $0.pointee == CChar(UInt8(ascii: ".")) } ?? true
        if isHidden && !takesHidden || TemporaryNames.contains(path) || SystemFiles.contains(path) { return false }
        if !takesPreviews, isFolder ? PreviewFiles.isCache(path) : PreviewFiles.contains(path, isArriving: true) {
            return false
        }
        if isFolder, copies.withLock({ $0.contains(path) }) { return false }
        return filter.takes(path, below: folder, isFolder: isFolder)
    }

    private func wait(for path: FilePath, _ watch: inout Watched) {
        if let known = watch.pending[path], known.seen == nil {
            watch.pending[path] = Pending(seen: nil, until: .now + settling)
            return
        }
        guard isMeant(path, isFolder: false) else { return }
        watch.pending[path] = Pending(seen: nil, until: .now + settling)
    }

    /// Those whose time has come and that are still as they were.
    private func takeSettled(_ watch: inout Watched) -> [FilePath] {
        let now = ContinuousClock.now
        let writers = FileWriters()
        var settled: [FilePath] = []
        for (path, pending) in watch.pending where pending.until <= now {
            guard let identity = Self.identity(of: path) else {
                watch.pending[path] = nil
                continue
            }
            guard identity == pending.seen || !watch.isPolled && isOld(identity), !writers.isWriting(path) else {
                watch.pending[path] = Pending(
                    seen: identity, until: now + (watch.isPolled ? max(settling, polling) : settling))
                continue
            }
            watch.pending[path] = nil
            if watch.told.insert(Self.mark(path, identity)).inserted { settled.append(path) }
        }
        return settled.sorted { $0.string < $1.string }
    }

    /// Those that could not be read are tried again, ever more seldom: nothing tells when they can be.
    private func putOff(_ refused: Set<FilePath>, of told: [FilePath], _ watch: inout Watched) {
        for path in told {
            guard refused.contains(path), let identity = Self.identity(of: path) else {
                watch.vain[path] = nil
                continue
            }
            let times = watch.vain[path, default: 0]
            watch.vain[path] = times + 1
            watch.told.remove(Self.mark(path, identity))
            watch.pending[path] = Pending(seen: identity, until: .now + .seconds(60 << min(times, 6)))
        }
    }

    private func isOld(_ identity: SourceIdentity) -> Bool {
        let latest = [identity.modified, identity.changed ?? identity.modified].max() ?? identity.modified
        // A clock that is set back must not make it wait for ever.
        let age = latest.duration(to: .now)
        return age >= settling || age < .seconds(-60)
    }

    private static func identity(of path: FilePath) -> SourceIdentity? {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return SourceIdentity(status)
    }

    private static func mark(_ path: FilePath, _ identity: SourceIdentity) -> Int {
        var hasher = Hasher()
        hasher.combine(path)
        hasher.combine(identity)
        return hasher.finalize()
    }

    // MARK: Walking

    private func walk(_ watch: inout Watched) {
        // What is gone is forgotten.
        watch.told.formIntersection(walk(folder, &watch, tellsOld: !watch.isPolled || !watch.isWalked))
        watch.isWalked = true
        watch.nextWalk = .now + (watch.isPolled ? polling : Self.rounds)
    }

    /// Watches a folder and those below it, and looks at the files that are there.
    ///
    /// - Parameter tellsOld: files that have not changed for a while are told of now; else all wait.
    /// - Returns: the marks of all that is there.
    @discardableResult
    private func walk(_ root: FilePath, _ watch: inout Watched, tellsOld: Bool) -> Set<Int> {
        var marks: Set<Int> = []
        var folders = [root]
        while let next = folders.popLast(), !Task.isCancelled {
            // Before it is read: what comes after that is told.
            if let notices = watch.notices, !notices.watch(next) { watch.isPolled = true }
            for path in (try? FileWalk.children(of: next)) ?? [] {
                var status = stat()
                guard path.withPlatformString({ lstat($0, &status) }) == 0,
                    isMeant(path, isFolder: status.st_mode & S_IFMT == S_IFDIR)
                else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: folders.append(path)
                case S_IFREG, S_IFLNK:
                    guard let identity = Self.identity(of: path) else { continue }
                    let mark = Self.mark(path, identity)
                    marks.insert(mark)
                    if watch.told.contains(mark) || watch.pending[path] != nil { continue }
                    let isOld = tellsOld && isOld(identity)
                    // The clock of a share is another one, and what it tells may be some time old.
                    let pause = watch.isPolled && !tellsOld ? max(settling, polling) : settling
                    watch.pending[path] = Pending(seen: identity, until: isOld ? .now : .now + pause)
                default: continue
                }
            }
        }
        return marks
    }
}
