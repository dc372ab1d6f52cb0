internal import CCurl
internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// One request on its way. It belongs to the loop's thread from the moment it is added.
final class Transfer: @unchecked Sendable {
    /// What of the body may go out now.
    private struct Allowed {
        var bytes = 0
        var isAsked = false
        /// Somebody was told to come later.
        var isAwaited = false
    }

    /// What came of it, and how it may go better.
    typealias Outcome = (result: Result<HTTPResponse, HTTPFailure>, again: Again?)

    enum Again {
        /// HTTP/2 ended it before any answer was seen.
        case overHTTP1
        /// Nobody who is trusted vouches for the server.
        case trustingDirectory
        /// What came first belonged to no answer on this request: the server put a body behind an answer that has none,
        /// and the connection was used again.
        case overFreshConnection
    }

    let request: HTTPRequest
    var continuation: CheckedContinuation<Outcome, Never>?
    var isCancelled = false
    /// It is sent by HTTP/1.1, on a connection of its own.
    let isPlain: Bool
    /// It is sent on a connection that nothing was sent on before.
    let isFirst: Bool
    /// Nothing is sent on its connection afterwards.
    let isLast: Bool
    /// It may be sent by HTTP/2, which is agreed on with TLS.
    let mayBeMultiplexed: Bool
    /// What the directory of trusted certificates holds is trusted too.
    let trustsDirectory: Bool
    private var again: Again?
    /// Seconds in which nothing may move while the body is sent; `nil` before it is known.
    var stallTimeout: Int?
    /// The handle it runs on.
    var easy: UnsafeMutableRawPointer?
    /// What libcurl keeps pointers to while it runs.
    var headerList: UnsafeMutablePointer<curl_slist>?
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    private let length: Int64
    private let ahead: ReadAhead?
    /// What bounds how fast the body goes out.
    private let allowance: SendingAllowance?
    /// Where it notes that the exchange ended in the middle of an item's bytes.
    private let watch: BodyWatch?
    /// It asks before it sends the body.
    let asksFirst: Bool
    /// Seconds in which nothing may move once the whole body is sent; `nil`: as before.
    var answerTimeout: Int?
    private let allowed = Locked(Allowed())
    private let tell = Locked<(@Sendable () -> Void)?>(nil)
    /// libcurl was told that what comes next of the body has yet to be read.
    private var isAwaiting = false
    /// How much of the body was handed to libcurl.
    private var position: Int64 = 0
    private var answer: ResponseAccumulator
    private var wasStarted = false
    /// A connection was there to send it on. Before libcurl 7.80 nobody tells before something went over it.
    var hasConnection: Bool { wasStarted || position > 0 || answer.status != nil }
    /// What a callback found wrong: the reason for which it ended the transfer.
    private var failure: HTTPFailure?

    init(
        _ request: HTTPRequest, isPlain: Bool = false, isFirst: Bool = false, isLast: Bool = false,
        trustsDirectory: Bool
    ) {
        self.request = request
        self.isPlain = isPlain
        self.isFirst = isFirst
        self.isLast = isLast
        mayBeMultiplexed = !isPlain && request.isSecure
        self.trustsDirectory = trustsDirectory
        length = request.body.length ?? 0
        // What is this small is mostly no item's bytes.
        allowance = length > Self.unbounded ? .current : nil
        let isMedia = if case .media = request.body { length > BodyWatch.large } else { false }
        watch = isMedia ? .current : nil
        asksFirst = watch?.asksFirst ?? false
        ahead = if case .media(let media, let range) = request.body, length > 0 { ReadAhead(media, range) } else { nil }
        answer = ResponseAccumulator(bodyLimit: request.responseLimit, receive: request.receive)
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// Reads the beginning of the body.
    ///
    /// - Returns: why it cannot be read.
    func begin() async -> SubmitFailure? { await ahead?.begin() }

    /// - Parameter tell: called on any thread when what libcurl has been waiting for has been read.
    func whenReadable(_ tell: @escaping @Sendable () -> Void) {
        self.tell.withLock { $0 = tell }
        ahead?.whenReady(tell)
    }

    private static let unbounded: Int64 = 1024

    /// Hands over the result. The transfer is off its handle by then.
    func end(_ result: Result<HTTPResponse, HTTPFailure>) {
        easy = nil
        continuation.take()?.resume(returning: (result, again))
    }

    // MARK: What libcurl asks

    /// Asked before the request goes out, once more when libcurl wants to send it again by itself. After an answer
    /// (417 to `Expect`) a repetition is always right: the server said that it did not act.
    func mayStart() -> Bool {
        if wasStarted, !request.isRepeatable, !answer.isAnswered { return false }
        wasStarted = true
        return true
    }

    /// Fills libcurl's own buffer with what comes next of the body; `nil` to end the transfer.
    ///
    /// The body's length was announced: too few bytes would leave the server waiting, so they end the transfer too. Bytes
    /// that have yet to be read make it wait.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        var wanted = Int(min(Int64(buffer.count), length - position))
        guard wanted > 0 else { return 0 }
        if let allowance {
            wanted = min(wanted, mayGo(wanted, allowance))
            if wanted == 0 {
                isAwaiting = true
                return Int(CURL_READFUNC_PAUSE)
            }
        }
        let place = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        switch request.body {
        case .none: return 0
        case .bytes(let bytes):
            bytes.withUnsafeBytes { place.copyMemory(from: .init(rebasing: $0[Int(position)...].prefix(wanted))) }
            return sent(wanted)
        case .media:
            switch ahead?.take(at: position, into: place) {
            case .bytes(let count)?: return sent(count)
            case .later?:
                isAwaiting = true
                return Int(CURL_READFUNC_PAUSE)
            case .failed(let failure)?:
                self.failure = .body(failure)
                return nil
            case nil: return 0
            }
        }
    }

    /// How many bytes may go out; where it is none, it is told when there are some.
    private func mayGo(_ wanted: Int, _ allowance: SendingAllowance) -> Int {
        let isToAsk = allowed.withLock { allowed in
            if allowed.bytes > 0 || allowed.isAsked { return false }
            allowed.isAsked = true
            return true
        }
        if isToAsk {
            allowance.request(wanted) { [weak self] bytes in
                guard let self else { return }
                let isAwaited = allowed.withLock { allowed in
                    defer { allowed = Allowed(bytes: bytes) }
                    return allowed.isAwaited
                }
                if isAwaited { tell.withLock { $0 }?() }
            }
        }
        return allowed.withLock { allowed in
            allowed.isAwaited = allowed.bytes == 0
            return allowed.bytes
        }
    }

    private func sent(_ count: Int) -> Int {
        if allowance != nil { allowed.withLock { $0.bytes -= count } }
        position += Int64(count)
        request.sent?(position)
        if position == length, let answerTimeout, let easy { Self.setStallTimeout(answerTimeout, of: easy) }
        return count
    }

    /// Goes on where it waited for the body.
    func goOn() {
        guard isAwaiting, let easy else { return }
        isAwaiting = false
        curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    /// Goes back in the body so that the request can be sent again; false where that must not happen.
    func seek(to offset: Int64) -> Bool {
        guard request.isRepeatable, (0...length).contains(offset) else { return false }
        position = offset
        if answerTimeout != nil, let easy, let stallTimeout { Self.setStallTimeout(stallTimeout, of: easy) }
        return true
    }

    func take(headerLine line: UnsafeRawBufferPointer) -> Bool {
        do throws(HTTPFailure) {
            try answer.take(headerLine: line)
            return !hasAllItNeeds
        } catch {
            failure = error
            return false
        }
    }

    /// What comes now would be the body that nobody needs. A head that announces none lets its connection be used again.
    private var hasAllItNeeds: Bool {
        guard request.needsOnlyHead, let response = answer.response else { return false }
        return response["Content-Length"] != "0" && ![204, 304].contains(response.status)
    }

    func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(HTTPFailure) {
            try answer.take(body: bytes)
            return !answer.isEnough
        } catch {
            failure = error
            return false
        }
    }

    private static let sourceSilent = SubmitFailure(
        .retry(after: nil), code: "source-unreadable",
        message: "The file could not be read for a while: see that the disk it is on answers.")

    // MARK: How it ended

    /// What to report when libcurl is done with it.
    func result(_ code: CURLcode) -> Result<HTTPResponse, HTTPFailure> {
        if let measured = request.measured, let easy {
            // Where the head was all that was wanted, we ended it ourselves.
            measured(TransferMeasure(hasAllItNeeds || answer.isEnough ? CURLE_OK : code, easy: easy, errorText))
        }
        guard failure == nil, let easy else { return .failure(failure ?? .cancelled) }
        if isAwaiting, code == CURLE_OPERATION_TIMEDOUT { return .failure(.body(Self.sourceSilent)) }
        if code == CURLE_OK, let response = answer.response, response.status != 407 { return .success(response) }
        let end = TransferEnd(code: code, easy: easy, errorText: errorText, bodyWasHandedOver: position == length)
        if let watch, position < length, position > BodyWatch.large || asksFirst, !answer.isAnswered,
            end.isBreak && end.wasSent || code == CURLE_OPERATION_TIMEDOUT && end.wasSent
        {
            watch.cut(at: position)
        }
        // The status says it all, also when the connection breaks right behind it: a server that refuses a body in
        // the middle answers and closes. Only a proxy answers 407.
        let isEarly = request.takesEarlyAnswer && answer.isWhole
        if let response = answer.response,
            code == CURLE_OK || hasAllItNeeds || answer.isEnough || ((response.status >= 400 || isEarly) && end.isBreak)
        {
            if response.status == 407 { return .failure(.proxy("The proxy asks for credentials (407)")) }
            return .success(response)
        }
        switch code {
        case CURLE_HTTP2_STREAM: again = .overHTTP1
        case CURLE_PEER_FAILED_VERIFICATION: again = .trustingDirectory
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            if !answer.isAnswered, end.wasSent, end.usedOldConnection {
                again = .overFreshConnection
                // The server has the request, and nobody heard what it says.
                return .failure(.broken(end.text, afterBody: position == length))
            }
        default: break
        }
        let failure = request.fileFault(end.code) ?? end.failure
        if case .untrusted(let text) = failure, wasStarted, !request.isRepeatable {
            // It went out on a connection that broke, and the next one was not trusted.
            return .failure(.broken(text, afterBody: position == length))
        }
        return .failure(failure)
    }
}
