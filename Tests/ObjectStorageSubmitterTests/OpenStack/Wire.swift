import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP

@testable import ObjectStorageSubmitter

/// Sends over libcurl, and remembers what it sent.
final class Wire: HTTPTransport {
    private let transport: CurlTransport
    private let log = Locked<[HTTPRequest]>([])

    init(authorities: String? = nil) throws {
        transport = try CurlTransport(
            CurlConfiguration(userAgent: "submit-tests", proxy: "", certificateAuthorities: authorities))
    }

    var sent: [HTTPRequest] { log.withLock { $0 } }
    /// How often someone signed in.
    var signIns: Int { sent.count { $0.url.contains("/auth/") } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        log.withLock { $0.append(request) }
        return try await transport.send(request)
    }

    func keeper(
        _ values: [String: String], secrets: [String: String] = [:], environment: [String: String] = [:]
    ) throws(SubmitFailure) -> StorageTokenClient {
        try StorageTokenClient(
            DestinationSettings(destination: "cloud", values: values, secrets: secrets), environment: environment,
            transport: self, now: { .now })
    }
}

extension StorageTokenClient {
    /// Lists the account's containers.
    @discardableResult
    func listAccount() async throws(SubmitFailure) -> HTTPResponse {
        try await send { storage in HTTPRequest(method: "GET", url: storage.url("")) }
    }
}
