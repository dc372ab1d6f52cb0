internal import FoundationEssentials
internal import Submit
internal import SubmitHTTP

/// Sends requests to an object store of OpenStack with a token, which is renewed before it ends and when it is refused.
///
/// However many requests wait for a token, one sign-in runs for them all. Nothing that prints a keeper shows a secret.
struct StorageTokenClient: Sendable {
    private let source: SignInSource
    private let transport: any HTTPTransport
    private let tokens: ExpiringValue<StorageToken>

    /// Reads no file and asks no one.
    ///
    /// - Parameters:
    ///   - settings: of the keys of ``OpenStackSettings``, and `insecure`.
    ///   - environment: the variables of OpenStack's own tools.
    ///   - transport: it must not follow redirects.
    /// - Throws: a failure that puts the destination on hold as misconfigured, and names what is missing or wrong.
    init(
        _ settings: DestinationSettings, environment: [String: String] = ProcessInfo.processInfo.environment,
        transport: any HTTPTransport, now: @escaping @Sendable () -> Timestamp
    ) throws(SubmitFailure) {
        let source = try SignInSource(settings, environment: environment)
        self.source = source
        self.transport = transport
        tokens = ExpiringValue(now: now) { () throws(SubmitFailure) in
            do throws(OpenStackFailure) {
                let signIn = try source.signIn()
                return try await IdentityService(signIn: signIn, transport: transport, now: now).lease()
            } catch {
                throw error.submitFailure(destination: source.destination)
            }
        }
    }

    /// The account's URL, such as `https://store.example.org/v1/AUTH_1234`; signs in where that is not known yet.
    ///
    /// - Throws: as ``send(file:_:)`` does.
    func storage() async throws(SubmitFailure) -> Endpoint {
        try await tokens.value().value.storage
    }

    /// Sends a request with a token, and returns the answer whatever its status, but never 401: a token that is refused
    /// is renewed, and the request sent again, once.
    ///
    /// - Parameters:
    ///   - file: whose name belongs into a failure's sentence.
    ///   - request: makes the request, without the token, from the account's URL. It is asked again for the second.
    /// - Throws: why there is no token (``IdentityService/lease()``), or no answer (``HTTPFailure``);
    ///   ``Remedy/renewCredentials`` when a new token is refused as well; ``SubmitFailure/cancelled`` at once when the
    ///   task is cancelled.
    func send(
        file: String? = nil, _ request: (Endpoint) throws(SubmitFailure) -> HTTPRequest
    ) async throws(SubmitFailure) -> HTTPResponse {
        let first = try await tokens.value()
        let answer = try await send(request(first.value.storage), first.value, file: file)
        guard answer.status == 401 else { return answer }
        tokens.refuse(first)
        guard first.value.isRenewable else {
            throw refused(first.value, "the token; it may have ended: get another, or sign in otherwise")
        }
        let second = try await tokens.value()
        let again = try await send(request(second.value.storage), second.value, file: file)
        guard again.status == 401 else { return again }
        tokens.refuse(second)
        throw refused(second.value, "a new token as well; check the user's roles in the project, and “storage_url”")
    }

    private func send(
        _ request: HTTPRequest, _ token: StorageToken, file: String?
    ) async throws(SubmitFailure) -> HTTPResponse {
        var request = request
        request.headers.append(("x-auth-token", token.token))
        do throws(HTTPFailure) {
            return try await transport.send(request)
        } catch {
            throw error.submitFailure(after: request, host: token.storage.authority, file: file)
        }
    }

    private func refused(_ token: StorageToken, _ what: String) -> SubmitFailure {
        OpenStackFailure(
            remedy: .renewCredentials, code: "credentials",
            reason: "the object store at \(token.storage.origin) refuses \(what)"
        ).submitFailure(destination: source.destination)
    }
}

extension StorageTokenClient: CustomStringConvertible, CustomReflectable {
    var description: String { source.description }

    var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
