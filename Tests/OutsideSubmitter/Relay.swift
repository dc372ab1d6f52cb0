import Foundation
import Glibc

/// A submitter that is somewhere else: who listens at the socket beside this program hears all that the host says to it,
/// and speaks for it.
enum Relay {
    /// Ends the process as soon as either side has ended.
    static func run() -> Never {
        let socket = connected(to: CommandLine.arguments[0] + ".socket")
        Thread.detachNewThread { copy(from: STDIN_FILENO, to: socket) }
        copy(from: socket, to: STDOUT_FILENO)
    }

    private static func copy(from source: CInt, to sink: CInt) -> Never {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(source, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { _exit(EXIT_SUCCESS) }
            var written = 0
            while written < count {
                let more = buffer[written..<count].withUnsafeBytes { write(sink, $0.baseAddress, $0.count) }
                if more < 0, errno == EINTR { continue }
                if more < 0 { _exit(EXIT_SUCCESS) }
                written += more
            }
        }
    }

    private static func connected(to path: String) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        let status = withUnsafeBytes(of: &address) { bytes in
            connect(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
        }
        guard status == 0 else { fatalError("Nobody listens at “\(path)”.") }
        return descriptor
    }
}
