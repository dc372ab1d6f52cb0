internal import CCurl
internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// The one thread on which libcurl runs, and the box through which requests reach it.
///
/// Everything but the inbox belongs to that thread alone.
final class CurlLoop: @unchecked Sendable {
    private struct Inbox {
        var added: [Transfer] = []
        var cancelled: [Transfer] = []
        /// What they waited for of their bodies has been read.
        var readable: [Transfer] = []
        var isClosed = false
        /// What wakes the thread, where it has one.
        var bell: SocketWatch?
        /// The thread lies down, or is about to.
        var isAsleep = false

        var isEmpty: Bool { added.isEmpty && cancelled.isEmpty && readable.isEmpty }
    }

    private let configuration: CurlConfiguration
    private let trust: CertificateTrust
    private let inbox = Locked(Inbox())
    /// What TLS agreed on with servers, for all handles.
    private let sessions: UnsafeMutableRawPointer
    /// `nil` until it is needed, and while no more files may be open.
    private var multi: MultiHandle?
    private var running: [UnsafeMutableRawPointer: Transfer] = [:]
    /// How many of them may share a connection.
    private var multiplexed = 0
    private let scouts = Scouts(streams: streams)
    private var idle: [UnsafeMutableRawPointer] = []

    /// How many requests share a connection before another one is made: with as many as are usually under way that is
    /// two or three. One alone is slow where the way is long, and each looks at all its requests whenever something comes.
    private static let streams = 16
    /// Milliseconds after which the thread looks for itself, as long as it has no bell.
    private static let nap: UInt32 = 50

    /// `nil` where libcurl has no memory left.
    init?(_ configuration: CurlConfiguration, _ trust: CertificateTrust) {
        guard let sessions = submit_curl_make_sessions() else { return nil }
        self.configuration = configuration
        self.trust = trust
        self.sessions = sessions
        _ = openMulti()
    }

    deinit {
        curl_share_cleanup(sessions)
    }

    /// False where no more files may be open, or no memory is left.
    private func openMulti() -> Bool {
        if multi != nil { return true }
        guard let watch = SocketWatch(),
            let multi = MultiHandle(width: configuration.width, streams: Self.streams, watch)
        else { return false }
        self.multi = multi
        inbox.withLock { $0.bell = watch }
        return true
    }

    // MARK: From any thread

    func add(_ transfer: Transfer) {
        transfer.whenReadable { [weak self, weak transfer] in
            if let transfer { _ = self?.post { $0.readable.append(transfer) } }
        }
        let isClosed = post { $0.added.append(transfer) }
        if isClosed { transfer.end(.failure(.cancelled)) }
    }

    /// May come before the transfer was added, and after it ended.
    func cancel(_ transfer: Transfer) {
        _ = post { $0.cancelled.append(transfer) }
    }

    func close() {
        _ = post { $0.isClosed = true }
    }

    /// Puts something into the inbox and wakes the thread, unless it was closed before: then it returns true.
    ///
    /// The bell is rung under the lock because the thread takes it down once it has seen `isClosed`.
    private func post(_ change: (inout Inbox) -> Void) -> Bool {
        inbox.withLock { inbox in
            if inbox.isClosed { return true }
            change(&inbox)
            if inbox.isAsleep {
                inbox.isAsleep = false
                inbox.bell?.ring()
            }
            return false
        }
    }

    // MARK: On the thread

    /// Runs until ``close()``.
    func run() {
        submit_curl_block_sigpipe()
        // Waiting last: new requests have started and ended ones are out of the way before the thread lies down.
        while takeInbox() {
            guard let multi else {
                startReleased()
                usleep(Self.nap * 1000)
                continue
            }
            if let fault = multi.runDue(looksAtAll: multiplexed > 0) { failAll(.broken(fault, afterBody: true)) }
            settleFinished(multi)
            startReleased()
            multi.wait(mayLieDown(), looksAtAll: multiplexed > 0)
            settleFinished(multi)
        }
        failAll(.cancelled)
        idle.forEach(curl_easy_cleanup)
        inbox.withLock { $0.bell = nil }
        multi = nil
    }

    /// False where something has come meanwhile. After that whoever puts something in rings.
    private func mayLieDown() -> Bool {
        inbox.withLock { inbox in
            inbox.isAsleep = inbox.isEmpty && !inbox.isClosed
            return inbox.isAsleep
        }
    }

    /// False when the loop is closed.
    private func takeInbox() -> Bool {
        let (added, cancelled, readable, isClosed) = inbox.withLock { inbox in
            defer {
                (inbox.added, inbox.cancelled, inbox.readable) = ([], [], [])
                inbox.isAsleep = false
            }
            return (inbox.added, inbox.cancelled, inbox.readable, inbox.isClosed)
        }
        for transfer in added {
            if isClosed || transfer.isCancelled {
                transfer.end(.failure(.cancelled))
            } else if scouts.mayGo(transfer) {
                start(transfer)
            }
        }
        for transfer in cancelled {
            transfer.isCancelled = true
            if let easy = transfer.easy {
                finish(easy, .failure(.cancelled))
            } else if scouts.remove(transfer) {
                transfer.end(.failure(.cancelled))
            }
        }
        for transfer in readable { transfer.goOn() }
        return !isClosed
    }

    /// Last of all before the thread lies down: whoever ended may have been who the others waited for.
    private func startReleased() {
        while true {
            let released = scouts.takeReleased()
            if released.isEmpty { return }
            for transfer in released { start(transfer) }
        }
    }

    private func start(_ transfer: Transfer) {
        guard openMulti(), let multi else {
            return end(
                transfer,
                .failure(
                    .cannotConnect("Too many files are open in this process: raise `ulimit -n`, or send less at once")))
        }
        guard let easy = idle.popLast() ?? submit_curl_make_easy(sessions) else {
            return end(transfer, .failure(.broken("libcurl has no memory left", afterBody: false)))
        }
        running[easy] = transfer
        if transfer.mayBeMultiplexed { multiplexed += 1 }
        transfer.easy = easy
        var code = transfer.configure(easy, configuration, trust)
        if code == CURLE_OK, !multi.add(easy) { code = CURLE_OUT_OF_MEMORY }
        if code != CURLE_OK { finish(easy, .failure(.badRequest(String(cString: curl_easy_strerror(code))))) }
    }

    private func settleFinished(_ multi: MultiHandle) {
        while let (easy, code) = multi.nextFinished() {
            if let transfer = running[easy] { finish(easy, transfer.result(code)) }
        }
    }

    /// Takes the transfer off the multi handle, which closes its connection unless the answer is complete.
    private func finish(_ easy: UnsafeMutableRawPointer, _ result: Result<HTTPResponse, HTTPFailure>) {
        guard let transfer = running.removeValue(forKey: easy) else { return }
        if transfer.mayBeMultiplexed { multiplexed -= 1 }
        let breaksOff = if case .failure(.cancelled) = result { true } else { false }
        multi?.remove(easy, breaksOff: breaksOff)
        curl_easy_reset(easy)
        if idle.count < configuration.width { idle.append(easy) } else { curl_easy_cleanup(easy) }
        end(transfer, result)
    }

    /// Hands over the result of one that was let go.
    private func end(_ transfer: Transfer, _ result: Result<HTTPResponse, HTTPFailure>) {
        scouts.ended(transfer)
        transfer.end(result)
    }

    private func failAll(_ failure: HTTPFailure) {
        for easy in Array(running.keys) { finish(easy, .failure(failure)) }
        for transfer in scouts.takeAll() { transfer.end(.failure(failure)) }
    }
}
