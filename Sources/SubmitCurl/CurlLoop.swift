internal import CCurl
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

        var isEmpty: Bool { added.isEmpty && cancelled.isEmpty && readable.isEmpty }
    }

    private let configuration: CurlConfiguration
    private let trust: CertificateTrust
    private let inbox = Locked(Inbox())
    private let multi: UnsafeMutableRawPointer
    /// The longest time to lie down for, in milliseconds.
    private let longestNap: CInt
    private var running: [UnsafeMutableRawPointer: Transfer] = [:]
    /// How many of them may share a connection.
    private var multiplexed = 0
    private var idle: [UnsafeMutableRawPointer] = []

    /// libcurl 7.88 lies down for up to a second though what it waits for over HTTP/2 has been read already, once in some
    /// thousand requests of which few are under way. It sees that when it is asked again.
    private static let multiplexedNap: CInt = 20

    /// `nil` where libcurl has no memory left.
    init?(_ configuration: CurlConfiguration, _ trust: CertificateTrust) {
        guard let multi = curl_multi_init() else { return nil }
        self.configuration = configuration
        self.trust = trust
        self.multi = multi
        // Without a descriptor left there is nothing to wake the thread with: it looks for itself.
        longestNap = curl_multi_wakeup(multi) == CURLM_OK ? 60_000 : 50
        submit_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, configuration.width))
        submit_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
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
    /// The wake-up happens under the lock because the thread frees the multi handle once it has seen `isClosed`.
    private func post(_ change: (inout Inbox) -> Void) -> Bool {
        inbox.withLock { inbox in
            if inbox.isClosed { return true }
            let wasEmpty = inbox.isEmpty
            change(&inbox)
            if wasEmpty { curl_multi_wakeup(multi) }
            return false
        }
    }

    // MARK: On the thread

    /// Runs until ``close()``.
    func run() {
        submit_curl_block_sigpipe()
        // Polling last: new requests have started and ended ones are out of the way before the thread lies down.
        while takeInbox() {
            var active: CInt = 0
            let code = curl_multi_perform(multi, &active)
            if code != CURLM_OK { failAll(.broken(String(cString: curl_multi_strerror(code)), afterBody: true)) }
            settleFinished()
            curl_multi_poll(multi, nil, 0, multiplexed > 0 ? Self.multiplexedNap : longestNap, nil)
        }
        failAll(.cancelled)
        idle.forEach(curl_easy_cleanup)
        curl_multi_cleanup(multi)
    }

    /// False when the loop is closed.
    private func takeInbox() -> Bool {
        let (added, cancelled, readable, isClosed) = inbox.withLock { inbox in
            defer { (inbox.added, inbox.cancelled, inbox.readable) = ([], [], []) }
            return (inbox.added, inbox.cancelled, inbox.readable, inbox.isClosed)
        }
        for transfer in added {
            if isClosed || transfer.isCancelled { transfer.end(.failure(.cancelled)) } else { start(transfer) }
        }
        for transfer in cancelled {
            transfer.isCancelled = true
            if let easy = transfer.easy { finish(easy, .failure(.cancelled)) }
        }
        for transfer in readable { transfer.goOn() }
        return !isClosed
    }

    private func start(_ transfer: Transfer) {
        guard let easy = idle.popLast() ?? curl_easy_init() else {
            return transfer.end(.failure(.broken("libcurl has no memory left", afterBody: false)))
        }
        running[easy] = transfer
        if transfer.mayBeMultiplexed { multiplexed += 1 }
        transfer.easy = easy
        var code = transfer.configure(easy, configuration, trust)
        if code == CURLE_OK, curl_multi_add_handle(multi, easy) != CURLM_OK { code = CURLE_OUT_OF_MEMORY }
        if code != CURLE_OK { finish(easy, .failure(.badRequest(String(cString: curl_easy_strerror(code))))) }
    }

    private func settleFinished() {
        var code = CURLE_OK
        while let easy = submit_curl_multi_next_finished(multi, &code) {
            if let transfer = running[easy] { finish(easy, transfer.result(code)) }
        }
    }

    /// Takes the transfer off the multi handle, which closes its connection unless the answer is complete.
    private func finish(_ easy: UnsafeMutableRawPointer, _ result: Result<HTTPResponse, HTTPFailure>) {
        guard let transfer = running.removeValue(forKey: easy) else { return }
        if transfer.mayBeMultiplexed { multiplexed -= 1 }
        if case .failure(.cancelled) = result {
            submit_curl_break_off(multi, easy)
        } else {
            curl_multi_remove_handle(multi, easy)
        }
        curl_easy_reset(easy)
        if idle.count < configuration.width { idle.append(easy) } else { curl_easy_cleanup(easy) }
        transfer.end(result)
    }

    private func failAll(_ failure: HTTPFailure) {
        for easy in Array(running.keys) { finish(easy, .failure(failure)) }
    }
}
