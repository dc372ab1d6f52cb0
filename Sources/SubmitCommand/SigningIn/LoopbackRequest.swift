internal import Foundation
internal import SubmitPlatform

/// What a browser asks for: the head of an HTTP/1 request.
struct LoopbackRequest: Sendable, Hashable {
    var method: String
    /// The path and the query, as they came.
    var target: String

    var path: String { String(target.prefix { $0 != "?" }) }

    /// - Returns: `nil` for what is no request.
    init?(head: [UInt8]) {
        let line = head.prefix { $0 != 0x0a }
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].starts(with: "HTTP/1.".utf8), parts[1].first == 0x2f,
            line.dropLast().allSatisfy({ (0x20...0x7e).contains($0) })
        else { return nil }
        method = String(decoding: parts[0], as: UTF8.self)
        target = String(decoding: parts[1], as: UTF8.self)
    }

    /// Reads one from a connection.
    ///
    /// - Returns: `nil` for what is none, too long, or takes too long.
    init?(from connection: CInt, until end: ContinuousClock.Instant) {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !Self.isComplete(head) {
            guard head.count < LoopbackListener.longestHead, Self.wait(connection, POLLIN, until: end) else {
                return nil
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            head += buffer.prefix(count)
        }
        self.init(head: head)
    }

    private static func isComplete(_ head: [UInt8]) -> Bool {
        let text = head.suffix(LoopbackListener.longestHead)
        return text.firstRange(of: Array("\r\n\r\n".utf8)) != nil || text.firstRange(of: Array("\n\n".utf8)) != nil
    }

    /// Writes an answer whole, and waits for the browser to have read it.
    static func write(_ bytes: [UInt8], to connection: CInt, until end: ContinuousClock.Instant) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard wait(connection, POLLOUT, until: end) else { return }
            let count = rest.withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
            }
            guard count > 0 || errno == EAGAIN || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
        shutdown(connection, CInt(SHUT_WR))
        // Closing on what was not read would take the answer back.
        var buffer = [UInt8](repeating: 0, count: 4096)
        var passed = 0
        while passed < 1 << 20, wait(connection, POLLIN, until: end) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            passed += count
        }
    }

    private static func wait(_ connection: CInt, _ event: CInt, until end: ContinuousClock.Instant) -> Bool {
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return false }
            var state = pollfd(fd: connection, events: Int16(event), revents: 0)
            let ready = poll(&state, 1, CInt(clamping: left.components.seconds * 1000 + 1))
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { return false }
        }
    }
}
