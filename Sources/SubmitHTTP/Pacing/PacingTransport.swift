public import Submit
internal import SubmitConcurrency
internal import Synchronization

/// A transport that asks each host only as often as it likes to be asked.
///
/// Until a host asks for patience (429 and 498, or 503) it does nothing. From then on requests to that origin, whoever
/// sends them, go out one by one: seldom at first, more often as long as they are taken, and less often when one is
/// refused. A request that is refused as one too many (429 or 498), with a time after which it may come again, was not acted
/// on: it waits for its turn once more, a few times. Every other answer is returned as it is.
///
/// One of it stands around the transport that all destinations share. A request that waits for its turn has not begun, so
/// that it cannot stall. Cancelling its task ends the wait at once.
public final class PacingTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let clock: @Sendable () -> Timestamp
    private let queues = Locked<[String: RequestQueue]>([:])
    private let isAnyoneHeldBack = Atomic(false)

    /// How many times a request is sent whose host refuses it as one too many.
    private static let mostSends = 4

    /// - Parameter clock: for servers that name a date without saying what theirs is.
    public init(_ transport: any HTTPTransport, clock: @escaping @Sendable () -> Timestamp = { .now }) {
        self.transport = transport
        self.clock = clock
    }

    /// Sends a request when it is its turn.
    ///
    /// - Throws: what the transport throws, and ``HTTPFailure/throttled(after:)`` where the host wants to be
    ///   left alone for longer than it is worth holding the request back.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        for _ in 1..<Self.mostSends {
            let response = try await sendOnce(request)
            guard request.mayComeAgain, response.refusesOneTooMany, let wait = response.retryAfter(now: clock()),
                wait <= RequestQueue.patience
            else { return response }
        }
        return try await sendOnce(request)
    }

    private func sendOnce(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard isAnyoneHeldBack.load(ordering: .relaxed), let origin = Endpoint(originOf: request.url)?.origin,
            let queue = queues.withLock({ $0[origin] })
        else {
            let response = try await transport.send(request)
            if response.asksForPatience { refused(nil, response, by: queue(to: request.url)) }
            return response
        }
        let (ticket, hasWaited) = try await queue.turn()
        let response = try await transport.send(request)
        if response.asksForPatience {
            refused(ticket, response, by: queue)
        } else {
            queue.answered(ticket, hasWaited: hasWaited)
            if hasWaited, queue.isOver { forget(origin) }
        }
        return response
    }

    private func refused(_ ticket: RequestPace.Ticket?, _ response: HTTPResponse, by queue: RequestQueue?) {
        queue?.refused(ticket, pause: pause(response), mayBeDown: response.status == 503)
    }

    private func queue(to url: String) -> RequestQueue? {
        guard let origin = Endpoint(originOf: url)?.origin else { return nil }
        return queues.withLock { queues in
            isAnyoneHeldBack.store(true, ordering: .relaxed)
            if let queue = queues[origin] { return queue }
            let queue = RequestQueue()
            queues[origin] = queue
            return queue
        }
    }

    private func forget(_ origin: String) {
        queues.withLock { queues in
            queues[origin] = nil
            isAnyoneHeldBack.store(!queues.isEmpty, ordering: .relaxed)
        }
    }

    /// How long the host wants to be left alone; `nil` where it does not say.
    private func pause(_ response: HTTPResponse) -> Duration? {
        guard let wait = response.retryAfter(now: clock()) else { return nil }
        // What is down for long need not be all that is there.
        return response.status == 503 && wait > RequestQueue.patience ? nil : wait
    }
}

extension HTTPRequest {
    /// It may be sent again as it is. A signature of OAuth 1 holds for one request (RFC 5849, section 3.3).
    fileprivate var mayComeAgain: Bool {
        !isSentOnce && !headers.contains { $0.name.isName("authorization") && $0.value.hasPrefix("OAuth ") }
    }
}

extension HTTPResponse {
    /// The host refused it for the number of requests alone. A 503 may have been acted on.
    fileprivate var refusesOneTooMany: Bool { [429, 498].contains(status) }

    /// Too many requests (429, RFC 6585; 498 of OpenStack Swift), or too much to do (503, RFC 9110, which is also what
    /// S3's SlowDown and nginx's `limit_req` say).
    fileprivate var asksForPatience: Bool { [429, 498, 503].contains(status) }
}
