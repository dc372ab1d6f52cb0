internal import SubmitConcurrency
public import SubmitHTTP

/// Answers by a closure and remembers the requests that it got.
public final class ScriptedTransport: HTTPTransport {
    private let answer: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse
    private let requests = Locked<[HTTPRequest]>([])

    public init(_ answer: @escaping @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse) {
        self.answer = answer
    }

    public var seen: [HTTPRequest] { requests.withLock { $0 } }

    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests.withLock { $0.append(request) }
        return try await answer(request)
    }
}

extension HTTPRequest {
    public subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
}
