import Submit
import SubmitConcurrency
import SubmitHTTP
import Testing

@Suite(.timeLimit(.minutes(1))) struct `A transport that keeps to a host's pace` {
    /// Answers by script, and keeps what it was asked and when.
    private final class Host: HTTPTransport {
        let asked = Locked<[(url: String, time: ContinuousClock.Instant)]>([])
        private let answer: @Sendable (Int) -> HTTPResponse

        /// - Parameter answer: of the request of this number, from 1 on.
        init(_ answer: @escaping @Sendable (Int) -> HTTPResponse) { self.answer = answer }

        func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
            answer(
                asked.withLock { asked in
                    asked.append((request.url, .now))
                    return asked.count
                })
        }
    }

    private static func refusal(_ status: Int = 429, _ seconds: String? = "0") -> HTTPResponse {
        HTTPResponse(status: status, headers: seconds.map { [("Retry-After", $0)] } ?? [])
    }

    private func ask(_ transport: PacingTransport, _ url: String = "https://a.example/x") async throws -> Int {
        try await transport.send(HTTPRequest(method: "GET", url: url)).status
    }

    @Test func `does nothing before the host asks for patience`() async throws {
        let host = Host { HTTPResponse(status: $0.isMultiple(of: 2) ? 200 : 500) }
        let transport = PacingTransport(host)
        let begun = ContinuousClock.now
        for _ in 0..<1000 { _ = try await ask(transport) }
        #expect(ContinuousClock.now - begun < .seconds(1))
    }

    @Test(arguments: [429, 498])
    func `sends a request again that was refused as one too many, when the host lets it`(status: Int) async throws {
        let host = Host { $0 < 3 ? Self.refusal(status) : HTTPResponse(status: 200) }
        let transport = PacingTransport(host)
        #expect(try await ask(transport) == 200)
        let times = host.asked.withLock { $0.map(\.time) }
        #expect(times.count == 3 && times[1] - times[0] > .milliseconds(800))
    }

    @Test func `hands a refusal on that it gets again and again`() async throws {
        let host = Host { _ in Self.refusal() }
        #expect(try await ask(PacingTransport(host)) == 429)
        #expect(host.asked.withLock { $0.count } == 4)
    }

    @Test func `sends nothing again that may be sent only once`() async throws {
        for (isSentOnce, headers) in [(true, []), (false, [("Authorization", "OAuth oauth_nonce=\"1\"")])] {
            let host = Host { _ in Self.refusal() }
            var request = HTTPRequest(method: "POST", url: "https://a.example/x", headers: headers)
            request.isSentOnce = isSentOnce
            #expect(try await PacingTransport(host).send(request).status == 429)
            #expect(host.asked.withLock { $0.count } == 1)
        }
    }

    @Test(arguments: [(429, nil), (498, nil), (503, "0")])
    func `hands another refusal on and sends nothing again, and then one by one`(
        status: Int, after seconds: String?
    ) async throws {
        let host = Host { $0 == 1 ? Self.refusal(status, seconds) : HTTPResponse(status: 200) }
        let transport = PacingTransport(host)
        #expect(try await ask(transport) == status)
        #expect(host.asked.withLock { $0.count } == 1)
        let begun = ContinuousClock.now
        try await withThrowingTaskGroup(of: Int.self) { group in
            // Whoever asks there, wherever it is, is in one queue.
            for number in 0..<4 { group.addTask { try await ask(transport, "https://A.example:443/\(number)") } }
            for try await found in group { #expect(found == 200) }
        }
        let times = host.asked.withLock { $0.dropFirst().map(\.time) }
        // A request that is late on a busy machine makes none of the next ones late.
        let waits = times.map { $0 - begun }
        #expect(waits.enumerated().allSatisfy { $1 > .milliseconds(800 + 400 * $0) }, "\(waits)")
    }

    @Test func `holds back nobody who asks elsewhere`() async throws {
        let host = Host { $0 == 1 ? Self.refusal(503, "5") : HTTPResponse(status: 200) }
        let transport = PacingTransport(host)
        _ = try await ask(transport)
        let begun = ContinuousClock.now
        for url in ["https://b.example/x", "http://a.example/x", "https://a.example:8443/x"] {
            #expect(try await ask(transport, url) == 200)
        }
        #expect(ContinuousClock.now - begun < .seconds(1))
    }

    @Test func `lets whoever is cancelled go at once, without asking`() async throws {
        let host = Host { $0 == 1 ? Self.refusal(503, "9") : HTTPResponse(status: 200) }
        let transport = PacingTransport(host)
        _ = try await ask(transport)
        let waiting = (0..<3).map { _ in Task { try await ask(transport) } }
        for task in waiting { task.cancel() }
        for task in waiting { await #expect(throws: HTTPFailure.cancelled) { try await task.value } }
        #expect(host.asked.withLock { $0.count } == 1)
    }

    @Test func `does not hold back for an hour`() async throws {
        let host = Host { _ in Self.refusal(429, "3600") }
        let transport = PacingTransport(host)
        _ = try await ask(transport)
        let failure = await #expect(throws: HTTPFailure.self) { try await ask(transport) }
        guard case .throttled(let wait) = failure else { throw failure ?? .cancelled }
        #expect((.seconds(3500) ... .seconds(3600)).contains(wait))
        #expect(host.asked.withLock { $0.count } == 1)
        let told = HTTPFailure.throttled(after: wait).submitFailure(host: "a.example", file: "a.jpg")
        #expect(told.remedy == .hold(.throttled, after: wait) && told.message.contains("seconds more"))
    }

    @Test func `holds nobody back for long because something there is down`() async throws {
        let host = Host { $0 == 1 ? Self.refusal(503, "3600") : HTTPResponse(status: 200) }
        let transport = PacingTransport(host)
        _ = try await ask(transport)
        #expect(try await ask(transport, "https://a.example/other") == 200)
    }
}
