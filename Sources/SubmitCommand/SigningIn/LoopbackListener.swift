internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform

/// Listens on this computer's own addresses for a browser that comes back from a login.
///
/// It knows one path, and hands on what is asked for there. Nobody else can reach it than who is on this computer; each
/// connection is bounded in size, time and number.
///
/// Source: RFC 8252, sections 7.3 and 8.3.
final class LoopbackListener: Sendable {
    let redirect: LoginRedirect
    let port: Int
    private let sockets: [CInt]
    private let deliver: @Sendable (_ target: String, _ reply: @escaping @Sendable (LoginPage) -> Void) -> Void
    private let state = Locked(State())

    private struct State {
        var isOver = false
        /// Those that are open.
        var connections: Set<CInt> = []
        /// Those that wait for what becomes of their answer.
        var waiting: [CInt: Waiting] = [:]
    }

    /// A connection whose answer is not known yet.
    private final class Waiting: Sendable {
        private let page = Locked<LoginPage?>(nil)
        private let told = DispatchSemaphore(value: 0)

        func tell(_ new: LoginPage) {
            page.withLock { page in if page == nil { page = new } }
            told.signal()
        }

        func wait(_ patience: DispatchTimeInterval) -> LoginPage {
            // A semaphore of Dispatch waits by the wall clock, which may be set back; its timers do not.
            DispatchQueue(label: "submit.login-page").asyncAfter(deadline: .now() + patience) { self.tell(.over) }
            told.wait()
            return page.withLock { $0 } ?? .over
        }
    }

    static let mostConnections = 8
    static let longestHead = 16 << 10
    /// For what a browser sends, and takes.
    private let patience: Duration
    /// For what becomes of an answer.
    static let answerPatience = DispatchTimeInterval.seconds(60)

    /// - Parameters:
    ///   - patience: how long a browser may take to ask, and to take its answer.
    ///   - deliver: is given the path and query that were asked for, and tells what the browser is to show. Called on any
    ///     thread, also for what is no answer.
    /// - Throws: where nobody can listen, such as at a port that another program has.
    init(
        _ redirect: LoginRedirect, patience: Duration = .seconds(5),
        deliver: @escaping @Sendable (_ target: String, _ reply: @escaping @Sendable (LoginPage) -> Void) -> Void
    ) throws(SubmitFailure) {
        self.redirect = redirect
        self.patience = patience
        self.deliver = deliver
        (sockets, port) = try Self.listen(redirect)
        for socket in sockets {
            Thread.detachNewThread { [weak self] in
                while true {
                    let connection = accept(socket, nil, nil)
                    if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
                    guard connection >= 0 else { break }
                    guard let self, self.takes(connection) else {
                        close(connection)
                        continue
                    }
                    Thread.detachNewThread { self.serve(connection) }
                }
                close(socket)
            }
        }
    }

    deinit { stop() }

    /// Where the browser is to come back to.
    var url: String { redirect.url(port: port) }

    /// Listens no more, and returns when browsers have their answers, or soon.
    func end() async {
        stop()
        for _ in 0..<200 where state.withLock({ !$0.connections.isEmpty }) {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    private func stop() {
        let waiting = state.withLock { state -> [Waiting]? in
            if state.isOver { return nil }
            state.isOver = true
            // Nothing more is read; their threads write and close them.
            for connection in state.connections { shutdown(connection, CInt(SHUT_RD)) }
            return Array(state.waiting.values)
        }
        guard let waiting else { return }
        for socket in sockets { shutdown(socket, CInt(SHUT_RDWR)) }
        for one in waiting { one.tell(.over) }
    }

    private func takes(_ connection: CInt) -> Bool {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return state.withLock { state in
            guard !state.isOver, state.connections.count < Self.mostConnections else { return false }
            state.connections.insert(connection)
            return true
        }
    }

    private func serve(_ connection: CInt) {
        let page = page(LoopbackRequest(from: connection, until: .now + patience), connection)
        LoopbackRequest.write(page.response, to: connection, until: .now + patience)
        state.withLock { state in
            state.connections.remove(connection)
            close(connection)
        }
    }

    private func page(_ request: LoopbackRequest?, _ connection: CInt) -> LoginPage {
        guard let request else { return .notUnderstood }
        guard request.path == redirect.path else { return .nothingHere }
        guard request.method == "GET" else { return .wrongMethod }
        let waiting = Waiting()
        let isOver = state.withLock { state -> Bool in
            state.waiting[connection] = waiting
            return state.isOver
        }
        defer { state.withLock { $0.waiting[connection] = nil } }
        if isOver { return .over }
        deliver(request.target) { waiting.tell($0) }
        return waiting.wait(Self.answerPatience)
    }
}

extension LoopbackListener {
    /// Sockets at the same port of 127.0.0.1 and ::1, where there are both.
    private static func listen(_ redirect: LoginRedirect) throws(SubmitFailure) -> (sockets: [CInt], port: Int) {
        if let port = redirect.port {
            let sockets = try bound(port, redirect)
            guard !sockets.isEmpty else { throw taken(port, redirect) }
            return (sockets, port)
        }
        // The port that one address has free may be taken at the other.
        for _ in 0..<50 {
            guard let first = socket(redirect.host == "[::1]" ? AF_INET6 : AF_INET, 0) else { continue }
            let port = Self.port(of: first)
            close(first)
            let sockets = try bound(port, redirect)
            if !sockets.isEmpty { return (sockets, port) }
        }
        throw SubmitFailure(
            .giveUp, code: "login-port",
            message:
                "No port of this computer is free for the browser to come back to: sign in with `--paste` or `--device` where "
                + "that is offered.")
    }

    /// - Returns: none where one of the addresses has that port taken.
    private static func bound(_ port: Int, _ redirect: LoginRedirect) throws(SubmitFailure) -> [CInt] {
        var sockets: [CInt] = []
        for family in [AF_INET, AF_INET6] {
            if let socket = socket(family, port) {
                sockets.append(socket)
            } else if errno == EADDRINUSE || isNeeded(family, redirect) {
                for socket in sockets { close(socket) }
                return []
            }
        }
        return sockets
    }

    /// A computer may have only one kind of addresses.
    private static func isNeeded(_ family: CInt, _ redirect: LoginRedirect) -> Bool {
        family == (redirect.host == "[::1]" ? AF_INET6 : AF_INET)
    }

    private static func taken(_ port: Int, _ redirect: LoginRedirect) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "login-port",
            message:
                "The port \(port), at which the browser has to come back, cannot be had on \(redirect.host): end the program "
                + "that listens there, or sign in with `--paste`.")
    }

    private static func socket(_ family: CInt, _ port: Int) -> CInt? {
        let socket = Glibc.socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return nil }
        var yes: CInt = 1
        let length = socklen_t(MemoryLayout<CInt>.size)
        // Connections of an earlier login may still be fading.
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, length)
        let isBound: Bool
        if family == AF_INET6 {
            setsockopt(socket, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &yes, length)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            address.sin6_port = in_port_t(port).bigEndian
            isBound = bind(socket, &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
            address.sin_port = in_port_t(port).bigEndian
            isBound = bind(socket, &address)
        }
        guard isBound, Glibc.listen(socket, 16) == 0 else {
            let reason = errno
            close(socket)
            errno = reason
            return nil
        }
        return socket
    }

    private static func bind<Address>(_ socket: CInt, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    private static func port(of socket: CInt) -> Int {
        // Both kinds have the port at the same place.
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(socket, $0, &length) }
        }
        return Int(UInt16(bigEndian: address.sin6_port))
    }
}
