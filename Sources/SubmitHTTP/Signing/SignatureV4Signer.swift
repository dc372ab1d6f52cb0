internal import Crypto
internal import Submit
internal import SubmitConcurrency

/// Signs requests for one access key, region and service. Keeps the key of the day: deriving it takes four HMACs.
public struct SignatureV4Signer: Sendable {
    private let accessKey: AccessKey
    private let region: String
    private let service: String
    private let current: Locked<DailyKey?>

    private struct DailyKey {
        let day: Int64
        let scope: String
        /// That of the key, which has taken nothing in: the key itself is half of what a short text takes.
        let code: HMAC<SHA256>
    }

    /// - Parameters:
    ///   - region: as the service calls it, such as `us-east-1`.
    ///   - service: as the scope names it.
    public init(_ accessKey: AccessKey, region: String, service: String = "s3") {
        self.accessKey = accessKey
        self.region = region
        self.service = service
        current = Locked(nil)
    }

    /// The headers that make a request a signed one: those given, and `x-amz-date`, `x-amz-content-sha256`,
    /// `x-amz-security-token` where there is one, and `Authorization`. Without `host`, which the transport sends.
    ///
    /// - Parameters:
    ///   - request: all of its headers are signed. Those that get added must not be there yet.
    ///   - time: the server refuses requests that are more than 15 minutes off.
    public func sign(_ request: SignatureV4.Request, at time: SigningTime) -> [(name: String, value: String)] {
        var request = request
        request.headers.append(("x-amz-date", time.text))
        request.headers.append(("x-amz-content-sha256", request.payload))
        if let token = accessKey.sessionToken { request.headers.append(("x-amz-security-token", token)) }
        request.headers.sort { $0.name < $1.name }
        let daily = dailyKey(time)
        let (canonical, names) = SignatureV4.canonicalForm(ofSorted: request)
        let text = SignatureV4.stringToSign(canonical, time: time, scope: daily.scope)
        let signature = SignatureV4.signature(of: text, begunWith: daily.code)
        request.headers.removeAll { $0.name == "host" }
        var authorization = "AWS4-HMAC-SHA256 Credential="
        authorization.reserveCapacity(256 + names.count)
        authorization += accessKey.id
        authorization += "/"
        authorization += daily.scope
        authorization += ", SignedHeaders="
        authorization += String(decoding: canonical[names], as: UTF8.self)
        authorization += ", Signature="
        authorization += signature
        request.headers.append(("Authorization", authorization))
        return request.headers
    }

    /// The query that makes a URL good for `seconds` (1...604,800) without any further credentials.
    ///
    /// - Parameter request: its headers have to be sent with the URL exactly as given; `host` always is. Its body is
    ///   not signed, whatever ``SignatureV4/Request/payload`` says.
    public func presign(_ request: SignatureV4.Request, at time: SigningTime, seconds: Int) -> String {
        let daily = dailyKey(time)
        var query = request.query.isEmpty ? "" : request.query + "&"
        query += "X-Amz-Algorithm=AWS4-HMAC-SHA256"
        query += "&X-Amz-Credential=" + PercentEncoding.encode("\(accessKey.id)/\(daily.scope)")
        query += "&X-Amz-Date=\(time.text)&X-Amz-Expires=\(seconds)"
        if let token = accessKey.sessionToken { query += "&X-Amz-Security-Token=" + PercentEncoding.encode(token) }
        query += "&X-Amz-SignedHeaders=" + PercentEncoding.encode(SignatureV4.signedHeaders(request))
        var request = request
        request.query = query
        request.payload = SignatureV4.unsignedPayload
        request.headers.sort { $0.name < $1.name }
        let canonical = SignatureV4.canonicalForm(ofSorted: request).text
        let text = SignatureV4.stringToSign(canonical, time: time, scope: daily.scope)
        return query + "&X-Amz-Signature=" + SignatureV4.signature(of: text, begunWith: daily.code)
    }

    private func dailyKey(_ time: SigningTime) -> DailyKey {
        current.withLock { current in
            if let current, current.day == time.day { return current }
            let key = SignatureV4.signingKey(
                secret: accessKey.secret, time: time, region: region, service: service)
            let made = DailyKey(
                day: time.day, scope: SignatureV4.scope(time, region: region, service: service),
                code: HMAC<SHA256>(key: SymmetricKey(data: key)))
            current = made
            return made
        }
    }
}

extension SignatureV4Signer: CustomStringConvertible, CustomReflectable {
    /// Names the key, not the secret.
    public var description: String { "\(accessKey), \(region)/\(service)" }

    public var customMirror: Mirror { Mirror(self, children: ["accessKey": accessKey]) }
}
