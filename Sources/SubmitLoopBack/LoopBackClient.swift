internal import Submit
internal import SubmitCatalogue
internal import SubmitHTTP

/// Asks a service, and reads what it answers.
struct LoopBackClient: Sendable {
    private let endpoint: Endpoint
    private let access: LoopBackAccess
    private let allowsSecret: Bool
    private let transport: any HTTPTransport
    private let limit: Duration
    private let largestAnswer: Int

    /// What an address may have at most, in bytes: the usual limit of servers is 16 KiB with all headers.
    static let longestAddress = 15_000
    /// How often one question is sent on.
    static let mostRedirects = 5

    init(_ settings: LoopBackSettings, _ transport: any HTTPTransport) {
        settings.access.makeKnown()
        (endpoint, access) = (settings.endpoint, settings.access)
        (limit, largestAnswer) = (settings.limit, settings.largestAnswer)
        allowsSecret = endpoint.isSecure || endpoint.isLoopback || settings.allowsPlain
        self.transport =
            if case .credentials(let credentials) = settings.access {
                AuthenticatingTransport(
                    transport, credentials: credentials, origin: endpoint, allowsBasic: allowsSecret)
            } else {
                transport
            }
    }

    // MARK: What is answered

    /// - Parameter path: below the URL of the records.
    func records(_ path: String) async throws(DatasourceFault) -> (records: [DatasourceRecord], isSingle: Bool) {
        guard let value = try await value(path) else { return ([], true) }
        switch value {
        case .null: return ([], true)
        // One record is a list of one.
        case .object(let members): return ([DatasourceRecord(members)], true)
        case .list(let values):
            let records = values.compactMap(DatasourceRecord.init)
            guard records.count == values.count else { throw .source(noRecords) }
            return (records, false)
        case .truth, .number, .text: throw .source(noRecords)
        }
    }

    func record(_ path: String) async throws(DatasourceFault) -> DatasourceRecord? {
        guard let value = try await value(path, isFound: false), value != .null else { return nil }
        guard let record = DatasourceRecord(value) else { throw .source(noRecords) }
        return record
    }

    func values(_ path: String) async throws(DatasourceFault) -> [RecordValue] {
        guard let value = try await value(path) else { return [] }
        guard case .list(let values) = value else {
            throw .source(
                failure(.giveUp, "no-values", "does not answer with a list of values", "check the path that is asked"))
        }
        return values
    }

    func count(_ path: String) async throws(DatasourceFault) -> Int {
        guard case .number(let digits)? = try await value(path)?["count"], let count = Int(digits), count >= 0 else {
            throw .source(
                failure(.giveUp, "no-count", "does not say how many there are", "ask for the records instead"))
        }
        return count
    }

    private var noRecords: SubmitFailure {
        failure(
            .giveUp, "no-records", "answers with something that is no list of records",
            "check that the source's URL leads to them")
    }

    /// - Parameter isFound: what is not there is a fault.
    /// - Returns: `nil` where the body is empty, or nothing is there.
    private func value(_ path: String, isFound: Bool = true) async throws(DatasourceFault) -> RecordValue? {
        let url = endpoint.url(path)
        guard url.utf8.count <= Self.longestAddress else {
            throw .question(
                CatalogueFault(
                    "The question is longer than the \(Self.longestAddress) bytes that services take: ask for less.",
                    at: nil))
        }
        do throws(SubmitFailure) {
            let answer = try await answer(url)
            if answer.status == 404, !isFound { return nil }
            if let failure = refusal(answer) { throw failure }
            guard answer.body.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return nil }
            guard !answer.isPage else {
                throw failure(
                    .hold(.misconfigured, after: nil), "page", "answers with a page for people, not with records",
                    "check the source's URL")
            }
            do throws(CatalogueFault) {
                return try RecordValue(json: answer.body, limit: largestAnswer)
            } catch {
                throw failure(
                    .giveUp, "no-json", "answers with something that is no JSON (\(error.description.dropLast()))",
                    "try again; if it stays so, check the source's URL")
            }
        } catch {
            throw .source(error)
        }
    }

    private func refusal(_ answer: HTTPResponse) -> SubmitFailure? {
        let status = answer.status
        let said = said(answer)
        switch status {
        case 200..<300: return nil
        case 401:
            return access == .anyone
                ? failure(.renewCredentials, "unauthorized", "wants to know who asks (401)", "sign in there first")
                : failure(.renewCredentials, "unauthorized", "does not take our credentials (401)", "sign in anew")
        case 403:
            return failure(
                .giveUp, "forbidden", "does not let us ask that (403\(said))", "ask its owner to be allowed to")
        case 404:
            return failure(
                .hold(.misconfigured, after: nil), "not-found", "has no records there (404\(said))",
                "check the source's URL")
        case 414, 431:
            return failure(.giveUp, "too-long", "does not take a question as long as this (\(status))", "ask for less")
        case 429:
            return failure(
                .hold(.throttled, after: answer.retryAfter(now: .now)), "throttled", "asks us to slow down (429)",
                "try again later")
        case 500...:
            return failure(
                .tryAnother(after: answer.retryAfter(now: .now)), "server-error", "is in trouble (\(status)\(said))",
                "try again later")
        default:
            return failure(
                .giveUp, "refused", "does not take the question (\(status)\(said))",
                "ask in another way, or check the source's fields")
        }
    }

    /// What LoopBack says of it: `{"error": {"message": …}}`.
    private func said(_ answer: HTTPResponse) -> String {
        guard let value = try? RecordValue(json: answer.body, limit: 1 << 16),
            case .text(let text)? = value["error"]?["message"] ?? value["message"]
        else { return "" }
        let line = ForeignText.line(text)
        return line.isEmpty ? "" : ": \(line)"
    }

    func failure(_ remedy: Remedy, _ code: String, _ what: String, _ advice: String) -> SubmitFailure {
        SubmitFailure(remedy, code: code, message: "“\(endpoint.authority)” \(what): \(advice).")
    }

    // MARK: What is sent

    /// The answer, within the time that it may take.
    private func answer(_ url: String) async throws(SubmitFailure) -> HTTPResponse {
        let limit = limit
        let first = await withTaskGroup(of: Result<HTTPResponse, SubmitFailure>?.self) { group in
            group.addTask {
                do throws(SubmitFailure) {
                    return .success(try await send(url))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        if let first { return try first.get() }
        if Task.isCancelled { throw .cancelled }
        throw failure(
            .tryAnother(after: nil), "slow", "did not answer within \(limit.formattedSeconds)",
            "try again later, or ask for less")
    }

    private func send(_ url: String) async throws(SubmitFailure) -> HTTPResponse {
        var request = HTTPRequest(
            method: "GET", url: url,
            headers: [("Accept", "application/json"), ("Cache-Control", "no-cache, no-store")],
            responseLimit: largestAnswer)
        if case .header(let name, let secret) = access {
            guard allowsSecret else {
                throw failure(
                    .hold(.misconfigured, after: nil), "refused-authentication",
                    "would get the secret over a connection that is not encrypted", "use https")
            }
            request.headers.append((name, secret))
        }
        let own = AllowedOrigins(endpoint)
        for _ in 0...Self.mostRedirects {
            let answer: HTTPResponse
            do throws(HTTPFailure) {
                answer = try await transport.send(request)
            } catch {
                throw failure(error)
            }
            switch Redirect(request, answer) {
            case .none: return answer
            case .follow(let next):
                // Elsewhere others may have put up what looks like our records.
                guard own.contains(next.url) else {
                    throw failure(
                        .hold(.misconfigured, after: nil), "redirected", "sends us on to another server",
                        "if the source has moved there, change its URL")
                }
                request = next
            case .refuse(let sentence):
                throw SubmitFailure(.hold(.misconfigured, after: nil), code: "redirected", message: sentence)
            }
        }
        throw failure(
            .hold(.misconfigured, after: nil), "redirected", "sends us on and on", "check the source's URL")
    }

    private func failure(_ failure: HTTPFailure) -> SubmitFailure {
        guard case .badAnswer(let text) = failure else {
            return failure.submitFailure(host: endpoint.authority, file: nil)
        }
        return self.failure(
            .giveUp, "bad-answer", "does not answer as it should (\(ForeignText.line(text)))",
            "ask for fewer records or fields, or check the source's URL")
    }
}

extension Duration {
    /// `30 s`
    fileprivate var formattedSeconds: String {
        let (seconds, attoseconds) = components
        return attoseconds == 0 ? "\(seconds) s" : "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
    }
}
