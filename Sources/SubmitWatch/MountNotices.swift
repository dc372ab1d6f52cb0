internal import Foundation
internal import SubmitPlatform

/// Tells whenever a disk is mounted or taken away: `/proc/self/mountinfo`, proc(5).
public enum MountNotices {
    /// One element for one or more changes, and one at the beginning. Ends when nobody iterates any more, or where the system
    /// tells nothing.
    public static func stream() -> AsyncStream<Void> {
        let (stream, changes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        changes.yield()
        let table = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        var ends: [CInt] = [0, 0]
        // A stream's pair with SOCK_CLOEXEC: closing one end ends the wait at the other.
        guard table >= 0, socketpair(AF_UNIX, 1 | 0o2000000, 0, &ends) == 0 else {
            if table >= 0 { close(table) }
            changes.finish()
            return stream
        }
        let (wait, end) = (ends[0], ends[1])
        changes.onTermination = { _ in close(end) }
        Thread.detachNewThread {
            defer {
                close(table)
                close(wait)
                changes.finish()
            }
            while true {
                var watched = [
                    pollfd(fd: table, events: Int16(POLLPRI), revents: 0), pollfd(fd: wait, events: 0, revents: 0),
                ]
                guard poll(&watched, 2, -1) > 0 else { if errno == EINTR { continue } else { return } }
                if watched[1].revents != 0 { return }
                changes.yield()
            }
        }
        return stream
    }
}
