internal import CCurl
internal import Foundation
public import Submit
internal import SubmitConcurrency
public import SubmitHTTP

/// The transport over libcurl: one thread and one multi handle carry all requests at once.
///
/// Connections are kept and used again; HTTP/2 is spoken where a server offers it over TLS, with some requests to a
/// connection. The first request to a server by TLS goes ahead until its connection is there, so that the others can
/// share it; what was agreed on with a server makes later connections to it cheaper. Certificates are always
/// checked and TLS is at least 1.2. It sends what it is given and nothing else: no redirect is followed, no cookie
/// kept, no credentials looked up, no `Expect` sent unless the request has the header.
///
/// libcurl sends a request again by itself when a connection that was used before turns out to be dead before any
/// byte of an answer came: the server closed it while it lay idle. We do so ourselves where what came belonged to an earlier
/// answer, on a connection of its own. For the methods that IANA's registry calls idempotent
/// that is let happen, because sending them twice has the effect of sending them once (RFC 9110, section 9.2.2); a
/// conditional PUT may then find its own copy, and a MOVE nothing to move, as after any lost answer. All others, POST,
/// PATCH and LOCK first, and whatever has `HTTPRequest.isSentOnce`, end as
/// `HTTPFailure.broken(_:afterBody:)` instead.
public final class CurlTransport: HTTPTransport {
    private let loop: CurlLoop
    private let trust: CertificateTrust
    /// The file of trusted certificates was not enough.
    let needsDirectory = Locked(false)
    /// Origins of servers that put bodies behind answers on HEAD, which would be taken for the next answer's beginning
    /// (RFC 9110, section 9.3.2).
    private let spillers = Locked<Set<Substring>>([])

    /// Starts the thread. Touches no network.
    ///
    /// - Throws: a failure that puts the destination on hold as misconfigured when the certificates named in `configuration` cannot be read
    ///   or libcurl does not work.
    public convenience init(_ configuration: CurlConfiguration) throws(SubmitFailure) {
        try self.init(configuration, CertificateTrust(configuration))
    }

    init(_ configuration: CurlConfiguration, _ trust: CertificateTrust) throws(SubmitFailure) {
        if let file = configuration.certificateAuthorities, !FileManager.default.isReadableFile(atPath: file) {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "configuration",
                message:
                    "The file of trusted certificates “\(file)” cannot be read: correct its path or its permissions.")
        }
        guard Self.isReady, let loop = CurlLoop(configuration, trust) else {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "libcurl",
                message: "libcurl could not be started: check that it is installed whole and that memory is left.")
        }
        self.loop = loop
        self.trust = trust
        Thread.detachNewThread { loop.run() }
    }

    deinit {
        loop.close()
    }

    /// Ends the thread. What is under way, and every later request, ends as `HTTPFailure.cancelled`.
    ///
    /// Letting go of the transport does the same.
    public func close() {
        loop.close()
    }

    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        try request.checkSendable()
        var isPlain = false
        var isFirst = false
        var trustsDirectory = needsDirectory.withLock { $0 }
        while true {
            let isLast = request.method == "HEAD" && spillers.withLock { $0.contains(request.origin) }
            let (result, again) = await run(
                Transfer(
                    request, isPlain: isPlain, isFirst: isFirst, isLast: isLast, trustsDirectory: trustsDirectory))
            if again == .overFreshConnection { spillers.withLock { _ = $0.insert(request.origin) } }
            switch (result, again) {
            case (.failure(.untrusted), .trustingDirectory)
            where !trustsDirectory && trust.isMoreThanFile && request.certificateAuthority == nil:
                trustsDirectory = true
            // A server that answers before it has read a body, and ends the stream, is not always heard by libcurl
            // before 8.0: by HTTP/1.1 it is.
            case (.failure(.broken), .overHTTP1)
            where !isPlain && request.isRepeatable && request.body.length ?? 0 > 0:
                isPlain = true
            case (.failure(.broken), .overFreshConnection) where !isFirst && request.isRepeatable: isFirst = true
            default:
                if trustsDirectory, case .success = result { needsDirectory.withLock { $0 = true } }
                return try result.get()
            }
        }
    }

    private func run(_ transfer: Transfer) async -> Transfer.Outcome {
        if let failure = await transfer.begin() { return (.failure(.body(failure)), nil) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.continuation = continuation
                loop.add(transfer)
            }
        } onCancel: {
            loop.cancel(transfer)
        }
    }

    /// libcurl is set up once a process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
}
