internal import CLinux
internal import Foundation
internal import SubmitPlatform

/// Tells whenever the network of this machine changed, so that what could not be reached may be: an address or a route came or
/// went (`NETLINK_ROUTE`, rtnetlink(7)).
public enum NetworkNotices {
    /// `RTMGRP_IPV4_IFADDR`, `RTMGRP_IPV4_ROUTE`, `RTMGRP_IPV6_IFADDR` and `RTMGRP_IPV6_ROUTE`.
    private static let groups: UInt32 = 0x10 | 0x40 | 0x100 | 0x400

    /// One element for one or more changes. Ends when nobody iterates any more, or where the system tells nothing.
    public static func stream() -> AsyncStream<Void> {
        let (stream, changes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // SOCK_RAW with SOCK_CLOEXEC and SOCK_NONBLOCK, NETLINK_ROUTE.
        let descriptor = socket(AF_NETLINK, 3 | 0o2000000 | 0o4000, 0)
        guard descriptor >= 0 else {
            changes.finish()
            return stream
        }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = groups
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size)) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            changes.finish()
            return stream
        }
        // Cancelling is allowed from any thread.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            // What is lost as there was too much is a change, too.
            while recv(descriptor, &buffer, buffer.count, 0) > 0 || errno == ENOBUFS { if errno == ENOBUFS { break } }
            changes.yield()
        }
        source.setCancelHandler { close(descriptor) }
        changes.onTermination = { _ in source.cancel() }
        source.resume()
        return stream
    }
}
