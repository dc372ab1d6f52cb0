internal import Foundation

/// Whoever started this process as a service and wants to hear how it is: systemd's protocol (sd_notify(3)), which is
/// documented to stay as it is.
enum ServiceManager {
    /// Says something, such as `READY=1`. Nobody hears it where nobody asked (`NOTIFY_SOCKET`).
    static func tell(_ text: String) {
        guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"], !path.isEmpty else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard name.count < room else { return }
        // One in the abstract namespace begins with NUL (unix(7)).
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + name.count
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | 0o2000000, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                text.withCString { sendto(descriptor, $0, strlen($0), CInt(MSG_NOSIGNAL), address, socklen_t(length)) }
            }
        }
    }

    /// How often it wants to hear that all goes on; `nil`: it does not ask.
    static let heartbeat: Duration? = {
        let environment = ProcessInfo.processInfo.environment
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0,
            environment["WATCHDOG_PID"].map({ $0 == "\(getpid())" }) ?? true
        else { return nil }
        return .microseconds(microseconds / 3)
    }()
}
