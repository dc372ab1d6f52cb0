internal import CLinux
internal import Foundation

/// The sockets one thread waits for, and the bell by which others end its wait.
final class SocketWatch {
    /// What happened at a socket. Where it is broken too, the other two may say less than there is.
    struct Event {
        let socket: CInt
        let isReadable: Bool
        let isWritable: Bool
        let isBroken: Bool
    }

    private let watch: CInt
    private let bell: CInt
    private let events: UnsafeMutableBufferPointer<submit_socket_event>
    /// Those watched.
    private(set) var sockets: Set<CInt> = []

    /// What can be told of at a time; what more there is comes next.
    private static let atOnce = 64

    /// `nil` where no more files may be open.
    init?() {
        var (watch, bell): (CInt, CInt) = (-1, -1)
        guard submit_open_watch(&watch, &bell) == 0 else { return nil }
        (self.watch, self.bell) = (watch, bell)
        events = .allocate(capacity: Self.atOnce)
    }

    deinit {
        close(bell)
        close(watch)
        events.deallocate()
    }

    /// Ends the wait under way, or the next one, from any thread.
    func ring() { submit_ring(bell) }

    /// Watches a socket for this alone; for neither, not at all.
    ///
    /// - Returns: false where the system has no room for it.
    func set(_ socket: CInt, isReading: Bool, isWriting: Bool) -> Bool {
        guard isReading || isWriting else {
            sockets.remove(socket)
            // It may be closed by now, which ends it likewise.
            _ = submit_watch_socket(watch, socket, false, false, false)
            return true
        }
        let isNew = sockets.insert(socket).inserted
        let reason = submit_watch_socket(watch, socket, isNew, isReading, isWriting)
        return reason != ENOMEM && reason != ENOSPC
    }

    /// Waits until something happens or the bell rings, and hands over what happened.
    ///
    /// - Parameter milliseconds: the longest to wait; 0 for not at all.
    func wait(_ milliseconds: CInt, _ happened: (Event) -> Void) {
        let count = submit_wait_for_sockets(watch, events.baseAddress, CInt(Self.atOnce), milliseconds)
        for event in events.prefix(Int(count)) {
            happened(
                Event(
                    socket: event.socket, isReadable: event.is_readable, isWritable: event.is_writable,
                    isBroken: event.is_broken))
        }
    }
}
