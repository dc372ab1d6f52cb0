internal import SubmitPlatform
internal import Synchronization
internal import SystemPackage

/// How often anybody has paused or cancelled something of a journal, in any process: a number that all who have the journal open
/// share in memory, so that whoever is about to begin an attempt need not ask the journal whether anything speaks against it.
///
/// It is the first eight bytes of the file by whose locks workers are known, and tells one moment from another only: whoever finds
/// it changed asks the journal. Processes that write a journal share its index in memory too, so that one is where the other is.
final class ControlCount: Sendable {
    private nonisolated(unsafe) let shared: UnsafeMutablePointer<Atomic<Int64>>
    private static let length = MemoryLayout<Atomic<Int64>>.size

    /// - Parameter file: open for reading and writing.
    /// - Returns: `nil` where its file system cannot do that.
    init?(in file: FileDescriptor) {
        // Whoever touches what is mapped and has no place on the disk is ended; the file never becomes shorter.
        // Others have seen to it mostly, also where there is no room for more by now.
        let hasPlace = (try? file.seek(offset: 0, from: .end)).map { $0 >= Self.length } ?? false
        var refusal: CInt = 0
        repeat {
            refusal = hasPlace ? 0 : posix_fallocate(file.rawValue, 0, off_t(Self.length))
        } while refusal == EINTR
        guard refusal == 0 else { return nil }
        guard let memory = mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0),
            memory != MAP_FAILED
        else { return nil }
        shared = memory.assumingMemoryBound(to: Atomic<Int64>.self)
    }

    deinit { munmap(shared, Self.length) }

    var now: Int64 { shared.pointee.load(ordering: .acquiring) }

    /// Something was paused or cancelled, which is in the journal by now.
    func increase() { shared.pointee.add(1, ordering: .releasing) }
}
