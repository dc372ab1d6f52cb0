import Foundation
import Submit
import SubmitConcurrency

/// A server on a loopback port of its own that does to each connection what the test's script says, on a thread each.
final class LoopbackServer: Sendable {
    let port: Int
    private let listener: CInt
    private let accepted = Locked(0)

    var url: String { "http://127.0.0.1:\(port)" }

    /// How many connections came.
    var connections: Int { accepted.withLock { $0 } }

    init(_ script: @escaping @Sendable (Connection) -> Void) {
        let (listener, port) = Self.bound()
        precondition(listen(listener, 512) == 0)
        self.listener = listener
        self.port = port
        let accepted = accepted
        Thread.detachNewThread {
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                let number = accepted.withLock {
                    $0 += 1
                    return $0
                }
                Thread.detachNewThread { script(Connection(descriptor, number)) }
            }
            close(listener)
        }
    }

    /// A port on which nobody listens, and nobody will: it stays bound.
    static func closedPort() -> Int { bound().port }

    private static func bound() -> (socket: CInt, port: Int) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(descriptor, $0, length) == 0)
                getsockname(descriptor, $0, &length)
            }
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
    }

    /// Answers every request on every connection with what `answer` returns, an answer in full.
    static func answering(_ answer: @escaping @Sendable (Received) -> String) -> LoopbackServer {
        LoopbackServer { connection in
            while let request = connection.request() { connection.write(answer(request)) }
        }
    }
}

/// A request as it came.
struct Received: Sendable {
    var head: String
    var body: [UInt8]

    /// The first line.
    var line: String { String(head.prefix { $0 != "\r\n" }) }

    /// A header's value.
    subscript(name: String) -> String? {
        head.split(separator: "\r\n").dropFirst().lazy
            .map { $0.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) } }
            .first { $0[0].lowercased() == name.lowercased() }.map { $0.count > 1 ? $0[1] : "" }
    }
}

/// One connection, seen from the server. Closed when it is let go.
final class Connection: Sendable {
    /// 1 for the server's first.
    let number: Int
    private let descriptor: CInt

    init(_ descriptor: CInt, _ number: Int) {
        self.descriptor = descriptor
        self.number = number
    }

    deinit {
        close(descriptor)
    }

    /// The next request with its body; `nil` when the connection closed before all of it came.
    func request() -> Received? {
        guard let head = head() else { return nil }
        var received = Received(head: head, body: [])
        guard let body = read(Int(received["Content-Length"] ?? "0")!) else { return nil }
        received.body = body
        return received
    }

    /// The next request up to the empty line.
    func head() -> String? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = read(1) else { return nil }
            bytes += byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// This many bytes, or `nil` if the connection closes before.
    func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + filled, count - filled, 0) }
            guard got > 0 else { return nil }
            filled += got
        }
        return bytes
    }

    /// Reads until the other side closes; how much came.
    @discardableResult
    func readToEnd() -> Int {
        var total = 0
        while let bytes = readSome() { total += bytes }
        return total
    }

    /// Reads until the other side closes; whether it did so with RST, which drops what was still to be sent.
    func isResetAtTheEnd() -> Bool {
        while readSome() != nil {}
        return errno == ECONNRESET
    }

    private func readSome() -> Int? {
        errno = 0
        let got = withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) {
            recv(descriptor, $0.baseAddress, $0.count, 0)
        }
        return got > 0 ? got : nil
    }

    /// False when the other side has closed.
    @discardableResult
    func write(_ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// Makes closing drop the connection with RST.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}

/// An answer in full.
func answer(_ status: Int, _ headers: [String] = [], _ body: String = "") -> String {
    (["HTTP/1.1 \(status) X"] + headers + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n")
}
