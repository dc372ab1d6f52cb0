import CDrawnFiles
import Glibc
import Submit
import SubmitConcurrency
import TestServers

/// A file system of drawn manners over a true folder, for all processes of a world that use it by its path.
final class DrawnFileSystem: Sendable {
    /// Calls, after which none is answered any more: who asks without an end is stopped.
    static let mostCalls = 6000

    /// The path of the folder that a destination is to have.
    let root: String
    private let folder = DrawnFolder()
    private let disk: Locked<DrawnDisk>

    /// - Parameters:
    ///   - troubles: by the number of the call, counted over all processes.
    ///   - sleeps: who sleeps really does, so that company comes.
    ///   - stranger: the name and content of what somebody else may put there.
    init(
        _ manners: Set<FileManner> = [], refusals: [FileRefusal: FileError] = [:], troubles: [Int: FileTrouble] = [:],
        sleeps: Bool = false, stranger: (name: String, content: [UInt8]) = ("stranger", [])
    ) {
        let folder = folder.path
        root = folder + "/root"
        var disk = DrawnDisk(
            manners: manners, refusals: refusals, troubles: troubles, root: root, elsewhere: folder + "/other")
        disk.sleeps = sleeps
        disk.stranger = stranger
        self.disk = Locked(disk)
        DrawnFolder.truly { for path in [root, folder + "/other"] { mkdir(path, 0o755) } }
        self.folder.answer { [disk = self.disk] call in disk.withLock { $0.answer(&call) } }
    }

    var calls: Int { disk.withLock { $0.calls } }
    /// What was asked for.
    var seen: Set<FileCallKind> { disk.withLock { $0.seen } }
    /// Microseconds that somebody meant to sleep.
    var slept: Int { disk.withLock { $0.slept } }
    /// What nobody should do here, and was done.
    var complaints: [String] { disk.withLock { $0.complaints } }

    /// What was to last until much later ends.
    func later() {
        DrawnFolder.truly {
            disk.withLock { disk in
                // Whose journal was given up has no name that was given after its last commit.
                if disk.outage == .readOnly { for path in disk.unsynced.names { unlink(path) } }
                (disk.outage, disk.isLater) = (nil, true)
            }
        }
    }

    /// Nothing goes wrong any more.
    func mend() { disk.withLock { ($0.outage, $0.troubles, $0.failsAtClose) = (nil, [:], false) } }

    /// Somebody else's file, under a path below the root.
    func put(_ content: [UInt8], _ path: String) {
        DrawnFolder.truly { disk.withLock { DrawnDisk.write(content, to: $0.real("\(root)/\(path)")) } }
    }

    /// All files below the root by their paths, as they will be when no memory holds them any more.
    var tree: [[UInt8]: [UInt8]] { DrawnFolder.truly { disk.withLock { $0.tree() } } }

    /// What a path leads to.
    func content(_ path: String) -> [UInt8]? {
        DrawnFolder.truly { disk.withLock { disk in disk.content(disk.real("\(root)/\(path)")) } }
    }

    /// Whether a power cut leaves a file where and as it is.
    func isDurable(_ path: String) -> Bool {
        DrawnFolder.truly { disk.withLock { disk in disk.isDurable(disk.real("\(root)/\(path)")) } }
    }

    /// A process that uses it, when all before are dead.
    func process() -> some MortalProcess {
        disk.withLock { $0.isDead = false }
        return Process(system: self)
    }

    private struct Process: MortalProcess {
        let system: DrawnFileSystem
        var isDead: Bool { system.disk.withLock { $0.isDead } }
    }
}
