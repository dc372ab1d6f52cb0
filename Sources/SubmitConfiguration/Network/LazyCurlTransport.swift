internal import Submit
internal import SubmitConcurrency
internal import SubmitCurl
internal import SubmitHTTP

/// The transport, made when the first request is sent: runs that need no network start without libcurl.
final class LazyCurlTransport: HTTPTransport {
    private let configuration: CurlConfiguration
    private let made = Locked<Result<CurlTransport, SubmitFailure>?>(nil)

    init(_ configuration: CurlConfiguration) {
        self.configuration = configuration
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let transport = made.withLock { made -> Result<CurlTransport, SubmitFailure> in
            if let made { return made }
            let configuration = configuration
            let new = Result { () throws(SubmitFailure) in try CurlTransport(configuration) }
            made = new
            return new
        }
        switch transport {
        case .success(let transport): return try await transport.send(request)
        case .failure(let failure): throw .body(failure)
        }
    }
}
