internal import CCurl
internal import Foundation

/// libcurl's multi handle, which is told what happened at which socket, and when its time has come: it looks at those
/// transfers alone. It belongs to one thread.
///
/// Source: https://curl.se/libcurl/c/curl_multi_socket_action.html.
final class MultiHandle {
    private let multi: UnsafeMutableRawPointer
    private let watch: SocketWatch
    /// When libcurl wants to be asked again whatever happens; `nil` for never.
    private var due: Int64?
    /// When all transfers are looked at next, if they have to be; `nil` while they have not.
    private var nextLook: Int64?
    /// What was wrong with libcurl itself.
    private var fault = CURLM_OK

    /// libcurl 7.88 forgets now and then to look at what it has read already over HTTP/2, and would wait for up to a second:
    /// once in some thousand requests of which few are under way. It sees that when it is asked to look again.
    private static let lookInterval: Int64 = 20
    private static let longestWait: Int64 = 60_000

    /// - Parameters:
    ///   - width: how many connections are kept open for later.
    ///   - streams: how many requests share a connection before another one is made.
    /// - Returns: `nil` where libcurl has no memory left.
    init?(width: Int, streams: Int, _ watch: SocketWatch) {
        guard let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.watch = watch
        submit_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, width))
        submit_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        submit_curl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, streams)
        submit_curl_multi_set_callbacks(multi, Self.callbacks, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        // Nothing is told to what is going.
        submit_curl_multi_set_callbacks(multi, submit_curl_multi_callbacks(), nil)
        curl_multi_cleanup(multi)
    }

    func add(_ easy: UnsafeMutableRawPointer) -> Bool { curl_multi_add_handle(multi, easy) == CURLM_OK }

    /// - Parameter breaksOff: what the system took of the body and has not sent yet is not sent any more.
    func remove(_ easy: UnsafeMutableRawPointer, breaksOff: Bool) {
        if breaksOff { submit_curl_break_off(multi, easy) } else { curl_multi_remove_handle(multi, easy) }
    }

    /// The next finished transfer, and how it ended.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var code = CURLE_OK
        return submit_curl_multi_next_finished(multi, &code).map { ($0, code) }
    }

    /// Does what is due, without waiting.
    ///
    /// - Parameter looksAtAll: transfers may be under way that share a connection.
    /// - Returns: what is wrong with libcurl, if something is.
    func runDue(looksAtAll: Bool) -> String? {
        guard due != nil || looksAtAll else {
            nextLook = nil
            return takeFault()
        }
        let now = Self.now
        if let due, due <= now {
            self.due = nil
            act(CURL_SOCKET_TIMEOUT, 0)
        }
        if looksAtAll {
            if let nextLook, nextLook <= now { for socket in watch.sockets { act(socket, 0) } }
            if nextLook ?? now <= now { nextLook = now + Self.lookInterval }
        } else {
            nextLook = nil
        }
        return takeFault()
    }

    private func takeFault() -> String? {
        defer { fault = CURLM_OK }
        return fault == CURLM_OK ? nil : String(cString: curl_multi_strerror(fault))
    }

    /// Waits until something happens at a socket, something is due or the bell rings, and does what follows from it.
    ///
    /// - Parameter lies: false where the thread has something else to do: it looks at what has happened, and goes on.
    func wait(_ lies: Bool, looksAtAll: Bool) {
        var longest = lies ? Self.longestWait : 0
        if lies, due != nil || looksAtAll {
            let now = Self.now
            if let due { longest = min(longest, max(0, due - now)) }
            if looksAtAll, let nextLook { longest = min(longest, max(0, nextLook - now)) }
        }
        watch.wait(CInt(longest)) { event in
            // libcurl looks for itself what is wrong: an answer may have come before.
            let what =
                event.isBroken
                ? 0 : (event.isReadable ? CURL_CSELECT_IN : 0) | (event.isWritable ? CURL_CSELECT_OUT : 0)
            act(event.socket, what)
        }
    }

    private func act(_ socket: CInt, _ what: CInt) {
        var active: CInt = 0
        let code = curl_multi_socket_action(multi, socket, what, &active)
        if code != CURLM_OK { fault = code }
    }

    /// Milliseconds of a clock that is never set.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// libcurl's calls, led to the handle that is their context.
    private static let callbacks = submit_curl_multi_callbacks(
        socket: { _, socket, what, context, _ in
            let isReading = what == CURL_POLL_IN || what == CURL_POLL_INOUT
            let isWriting = what == CURL_POLL_OUT || what == CURL_POLL_INOUT
            return MultiHandle.at(context).watch.set(socket, isReading: isReading, isWriting: isWriting) ? 0 : -1
        },
        timer: { _, milliseconds, context in
            let handle = MultiHandle.at(context)
            // A millisecond more than told: libcurl finds that nothing is due yet otherwise.
            handle.due = milliseconds < 0 ? nil : MultiHandle.now + Int64(milliseconds) + (milliseconds > 0 ? 1 : 0)
            return 0
        })

    private static func at(_ context: UnsafeMutableRawPointer?) -> MultiHandle {
        Unmanaged<MultiHandle>.fromOpaque(context!).takeUnretainedValue()
    }
}
