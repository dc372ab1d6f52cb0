internal import Submit
internal import SubmitHTTP

/// Where a token is had: an identity service of version 3 (Keystone), or v1 authentication, which many object stores
/// have built in.
///
/// Source: "POST /v3/auth/tokens" in the Identity API v3 reference; "Authentication" in the Swift documentation for
/// `X-Auth-User`, `X-Auth-Key` and `X-Storage-Url`, and tempauth for `X-Auth-Token-Expires`.
struct IdentityService: Sendable {
    let signIn: SignIn
    let transport: any HTTPTransport
    let now: @Sendable () -> Timestamp

    /// Signs in.
    ///
    /// - Throws: a failure with ``Remedy/renewCredentials`` when the service refuses who signs in, one that puts the destination on hold as
    ///   misconfigured where someone has to set something right, and one that puts the destination on hold as unreachable or throttled where
    ///   it may work later.
    func lease() async throws(OpenStackFailure) -> ExpiringValue<StorageToken>.Lease {
        KnownSecrets.add(signIn.identity.secret, isConfigured: true)
        if case .issued(let token) = signIn.identity, let storage = signIn.storageURL {
            return (StorageToken(token: token, storage: storage, isRenewable: false), nil)
        }
        guard let authURL = signIn.authURL else { throw .misconfigured("“auth_url” is missing; set it") }
        if case .v1(let user, let key) = signIn.identity { return try await version1(authURL, user: user, key: key) }
        return try await version3(authURL, KeystoneRequest(signIn.identity))
    }

    private func version3(
        _ authURL: Endpoint, _ request: KeystoneRequest
    ) async throws(OpenStackFailure) -> ExpiringValue<StorageToken>.Lease {
        let answer = try await send(
            HTTPRequest(
                method: "POST", url: authURL.url("/auth/tokens"),
                headers: [("content-type", "application/json"), ("accept", "application/json")],
                body: .bytes(request.body), responseLimit: 4 << 20),
            authURL)
        guard (200..<300).contains(answer.status) else { throw refusal(answer, authURL) }
        guard let text = answer["X-Subject-Token"], let token = KeystoneToken(answer.body) else {
            throw noService(authURL, answer)
        }
        if let storage = signIn.storageURL { return try lease(text, at: storage, life: token.life) }
        guard let catalogue = token.catalogue else {
            throw .misconfigured("the user has no project of its own; set “project_name”, or “project_id”")
        }
        let url = try catalogue.objectStore(region: signIn.region, interface: signIn.interface)
        return try lease(text, at: endpoint(url, of: authURL), life: token.life)
    }

    private func version1(
        _ authURL: Endpoint, user: String, key: String
    ) async throws(OpenStackFailure) -> ExpiringValue<StorageToken>.Lease {
        let answer = try await send(
            HTTPRequest(
                method: "GET", url: authURL.url(""), headers: [("x-auth-user", user), ("x-auth-key", key)]), authURL)
        guard (200..<300).contains(answer.status) else { throw refusal(answer, authURL) }
        guard let text = answer["X-Auth-Token"] ?? answer["X-Storage-Token"] else { throw noService(authURL, answer) }
        let life = answer["X-Auth-Token-Expires"].flatMap { Int64($0) }.map(Double.init)
        if let storage = signIn.storageURL { return try lease(text, at: storage, life: life) }
        guard let url = answer["X-Storage-Url"] else { throw noService(authURL, answer) }
        return try lease(text, at: endpoint(url, of: authURL), life: life)
    }

    private func lease(
        _ token: String, at storage: Endpoint, life: Double?
    ) throws(OpenStackFailure) -> ExpiringValue<StorageToken>.Lease {
        guard !token.isEmpty, token.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw .misconfigured("the identity service gave a token that cannot be one; check “auth_url”")
        }
        KnownSecrets.add(token)
        // A century stands for ever, and fits.
        let expires = life.map { life in
            Timestamp(nanoseconds: now().nanoseconds + Int64(min(max(life, 0), 3_000_000_000)) * 1_000_000_000)
        }
        return (StorageToken(token: token, storage: storage, isRenewable: true), expires)
    }

    /// The object store's address, as the service says it.
    private func endpoint(_ url: String, of authURL: Endpoint) throws(OpenStackFailure) -> Endpoint {
        guard let storage = try? Endpoint(url) else {
            throw .misconfigured(
                "the identity service at \(authURL.origin) gives an address of the object store that is none "
                    + "(“\(ForeignText.line(url))”); set “storage_url”", code: "no-endpoint")
        }
        guard storage.isSecure || storage.isLoopback || signIn.allowsPlain else {
            throw .misconfigured(
                "the object store is at \(storage.origin), and http shows everything to the network; set “storage_url” "
                    + "to an address with https, or “insecure” to true", code: "no-endpoint")
        }
        return storage
    }

    private func send(_ request: HTTPRequest, _ authURL: Endpoint) async throws(OpenStackFailure) -> HTTPResponse {
        do throws(HTTPFailure) {
            return try await transport.send(request)
        } catch {
            throw OpenStackFailure(error, at: authURL, signIn)
        }
    }
}
