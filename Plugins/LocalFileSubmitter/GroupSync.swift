internal import CLinux
internal import Dispatch
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SystemPackage

/// Makes files and folders durable, for all submissions that wait at the same time together.
///
/// The first to ask waits up to two milliseconds for company; whoever asks while the disk is busy joins the next round. A
/// round of many ends in one `syncfs`, where that promises as much as `fsync` does: 2,000 photos on ext4 took about half
/// the time of one `fsync` each. Where it fails, and for the errors that it does not tell, each file answers for itself.
///
/// Who is first of a round commits it, on its own thread: with many folders those who wait hold all threads that Dispatch
/// has, and a queue would get none.
final class GroupSync: Sendable {
    /// What one submission wants on disk.
    enum Request {
        /// A file's content, size, times and permissions.
        case file(CInt, in: Folder)
        /// The names in a folder, and in those above it, which may be new.
        case folder(Folder)

        fileprivate var place: Folder {
            switch self {
            case .file(_, in: let folder), .folder(let folder): folder
            }
        }
    }

    private struct Waiting {
        let request: Request
        let done = DispatchSemaphore(value: 0)
        let answer = Locked<Errno?>(nil)
    }

    /// Fewer are quicker one by one, and then nobody else's data is waited for.
    private static let fewestForFileSystem = 4

    /// How often the first of a round waits for more, each time so many microseconds. It does not wait for a semaphore with
    /// a timeout, since Dispatch's goes by the wall clock: set back meanwhile, that would first have to catch up.
    private static let waits = 4
    private static let wait: UInt32 = 500
    private static let enough = 24

    private let waiting = Locked<[Waiting]>([])
    /// One round at a time: who comes meanwhile makes the next one.
    private let turn = DispatchSemaphore(value: 1)

    /// Blocks until what the request names is on disk.
    func commit(_ request: Request) throws(Errno) {
        let mine = Waiting(request: request)
        let count = waiting.withLock {
            $0.append(mine)
            return $0.count
        }
        if count == 1 {
            for _ in 0..<Self.waits where waiting.withLock({ $0.count }) < Self.enough { usleep(Self.wait) }
            turn.wait()
            commitWaiting()
            turn.signal()
        }
        mine.done.wait()
        if let error = mine.answer.withLock({ $0 }) { throw error }
    }

    private func commitWaiting() {
        let round = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        if round.isEmpty { return }
        for sharing in Dictionary(grouping: round, by: \.request.place.device).values {
            let descriptor = sharing[0].request.place.descriptor
            let isTogether =
                sharing.count >= Self.fewestForFileSystem && submit_can_sync_file_system(descriptor) != 0
                && submit_sync_file_system(descriptor) == 0
            var synced: Set<Folder.Identity> = []
            for one in sharing {
                do throws(Errno) {
                    if !isTogether {
                        try Self.commitAlone(one.request, besides: &synced)
                    } else if case .file(let file, in: _) = one.request {
                        try Durability.verify(file: file)
                    }
                } catch {
                    one.answer.withLock { $0 = error }
                }
                one.done.signal()
            }
        }
    }

    private static func commitAlone(_ request: Request, besides synced: inout Set<Folder.Identity>) throws(Errno) {
        var next: Folder?
        switch request {
        case .file(let file, in: _): try Durability.sync(file: file)
        case .folder(let folder): next = folder
        }
        while let folder = next {
            if !synced.contains(folder.identity) { try Durability.sync(folder: folder.descriptor) }
            synced.insert(folder.identity)
            next = folder.parent
        }
    }
}
