internal import Submit
internal import SubmitHTTP

/// A service near by that hands out access keys over HTTP.
struct KeyService: Sendable {
    /// For sentences, such as `the container's service at http://169.254.170.2`: no path, which may be a secret.
    let name: String
    /// What to do when it gives none, as a sentence goes on.
    let advice: String
    let transport: any HTTPTransport

    /// Sends a request and returns the body of its answer.
    ///
    /// - Throws: a failure to wait for it when it is not reached or in trouble, and for someone when it refuses.
    func ask(
        _ method: String, _ url: String, headers: [(name: String, value: String)] = []
    ) async throws(AccessKeyFailure) -> [UInt8] {
        let answer: HTTPResponse
        do throws(HTTPFailure) {
            answer = try await transport.send(
                HTTPRequest(
                    method: method, url: url, headers: headers, body: method == "GET" ? .none : .bytes([]),
                    responseLimit: 64 << 10))
        } catch {
            throw failure(error)
        }
        guard (200..<300).contains(answer.status) else {
            let said = KeyDocument(answer.body)?.code.map { " \($0)" } ?? ""
            let sentence = "\(name) answered \(answer.status)\(said); \(advice)"
            throw answer.status == 429 || answer.status >= 500 ? .unavailable(sentence) : .misconfigured(sentence)
        }
        return answer.body
    }

    /// The key in an answer.
    func lease(_ body: [UInt8]) throws(AccessKeyFailure) -> ExpiringValue<AccessKey>.Lease {
        guard let document = KeyDocument(body) else {
            throw .misconfigured("\(name) gave something that is no key; \(advice)")
        }
        if let code = document.code, code != "Success" {
            throw .misconfigured("\(name) gave none (\(code)); \(advice)")
        }
        return try document.lease(from: name)
    }

    private func failure(_ failure: HTTPFailure) -> AccessKeyFailure {
        func quoted(_ text: String) -> String { text.isEmpty ? "" : " (\(KnownSecrets.redacted(text)))" }
        switch failure {
        case .cancelled: return .cancelled
        case .untrusted(let text):
            return .misconfigured("\(name) is not trusted\(quoted(text)); check its URL and its certificate")
        case .badRequest(let text): return .misconfigured("\(name) cannot be asked\(quoted(text)); \(advice)")
        case .refusedRedirect: return .misconfigured("\(name) sends us elsewhere; \(advice)")
        // Neither is used for a key service.
        case .refusedAuthentication, .credentials, .clientCertificate:
            return .misconfigured("\(name) wants other credentials than it may get; \(advice)")
        case .unknownHost(let text), .cannotConnect(let text), .proxy(let text):
            return .unavailable("\(name) cannot be reached\(quoted(text)); \(advice)")
        case .broken(let text, _), .badAnswer(let text):
            return .unavailable("\(name) did not answer as it should\(quoted(text)); \(advice)")
        case .stalled, .throttled, .body: return .unavailable("\(name) does not answer; \(advice)")
        }
    }
}
