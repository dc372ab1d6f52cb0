internal import Foundation
internal import Submit

/// A server on a loopback port of its own that does to each connection what the test's script says, on a thread each.
public final class ScriptedServer: Sendable {
    public let port: Int
    private let listener: CInt

    public var endpoint: String { "http://127.0.0.1:\(port)" }

    public init(_ script: @escaping @Sendable (ServerConnection) -> Void) {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, length) == 0)
                getsockname(listener, $0, &length)
            }
        }
        precondition(listen(listener, 512) == 0)
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                Thread.detachNewThread { script(ServerConnection(descriptor)) }
            }
            close(listener)
        }
    }

    /// Answers every request on every connection with what `answer` returns.
    public static func answering(_ answer: @escaping @Sendable (ReceivedRequest) -> String) -> ScriptedServer {
        ScriptedServer { connection in
            while let request = connection.request() {
                guard connection.write(answer(request)) else { return }
            }
        }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
    }

    /// An answer in full.
    public static func answer(_ status: Int, _ headers: [String] = [], _ body: String = "") -> String {
        (["HTTP/1.1 \(status) X"] + headers + ["Content-Length: \(body.utf8.count)", "", body]).joined(
            separator: "\r\n")
    }
}

/// A request as it came.
public struct ReceivedRequest: Sendable {
    public var head: String
    public var body: [UInt8]

    public var method: String { String(head.prefix { $0 != " " }) }

    /// Percent-encoded, with the query.
    public var target: String {
        let parts = head.prefix { $0 != "\r\n" }.split(separator: " ")
        return parts.count > 1 ? String(parts[1]) : ""
    }

    /// A header's value.
    public subscript(name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name.lowercased() {
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        return nil
    }
}

/// One connection, seen from the server. Closed when it is let go.
public final class ServerConnection: Sendable {
    private let descriptor: CInt

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
        // A child that inherited it would keep the connection open after us.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Connects to a server on a loopback port; `nil` when nobody listens there.
    convenience init?(to port: Int) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = in_port_t(port).bigEndian
        let error = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        self.init(descriptor)
        if error != 0 { return nil }
    }

    /// The next request with its body; `nil` when the connection closed before all of it came.
    public func request() -> ReceivedRequest? {
        guard var request = head(), let body = read(Int(request["Content-Length"] ?? "0") ?? 0) else { return nil }
        request.body = body
        return request
    }

    /// The next request up to its body; `nil` when the connection closed before all of it came.
    func head() -> ReceivedRequest? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = read(1) else { return nil }
            bytes += byte
        }
        return ReceivedRequest(head: String(decoding: bytes, as: UTF8.self), body: [])
    }

    /// What comes next, at most so many bytes; `nil` at the end.
    func some(_ most: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = max(0, recv(descriptor, buffer.baseAddress, most, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// The other side has closed, though not all that it sent may have been read.
    var isLeft: Bool {
        // POLLRDHUP, which the Glibc module leaves out.
        var state = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        return poll(&state, 1, 0) > 0
    }

    /// Ends it for both sides.
    func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + filled, count - filled, 0) }
            guard got > 0 else { return nil }
            filled += got
        }
        return bytes
    }

    /// False when the other side has closed.
    @discardableResult
    public func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult
    func write(_ all: [UInt8]) -> Bool {
        var bytes = all[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
