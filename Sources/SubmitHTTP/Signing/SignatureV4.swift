internal import Crypto
internal import Submit

/// The steps of AWS Signature Version 4 as S3 uses it: pure functions, without a clock and without state.
///
/// S3 differs from other services in that the path is encoded once and never normalised.
///
/// Source: "Authenticating Requests: Using the Authorization Header" and "... Using Query Parameters" in the Amazon S3
/// API reference, `sig-v4-header-based-auth` and `sigv4-query-string-auth`.
public enum SignatureV4 {
    /// In place of a body's digest when the body is not signed.
    public static let unsignedPayload = "UNSIGNED-PAYLOAD"
    /// The SHA-256 of no bytes.
    public static let emptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    /// A body's SHA-256 as ``Request/payload`` wants it.
    public static func digest(of body: [UInt8]) -> String { Hexadecimal.text(of: SHA256.hash(data: body)) }

    /// What is signed of a request.
    public struct Request: Sendable {
        /// Upper case.
        public var method: String
        /// The URL's path, percent-encoded as it is sent; never empty.
        public var path: String
        /// The URL's query, percent-encoded as it is sent; empty for none.
        public var query: String
        /// Names in lower case with their values. `host` must be among them. In any order, each name once.
        public var headers: [(name: String, value: String)]
        /// The body's SHA-256 in lower-case hexadecimal, or ``SignatureV4/unsignedPayload``.
        public var payload: String

        /// A request without a body, where no payload is given.
        public init(
            method: String, path: String, query: String = "", headers: [(name: String, value: String)],
            payload: String = SignatureV4.emptyPayload
        ) {
            self.method = method
            self.path = path
            self.query = query
            self.headers = headers
            self.payload = payload
        }
    }

    /// The names of the signed headers, sorted and joined as the signature lists them: `host;x-amz-date`.
    public static func signedHeaders(_ request: Request) -> String {
        request.headers.map(\.name).sorted().joined(separator: ";")
    }

    /// The request in its canonical form.
    public static func canonicalRequest(_ request: Request) -> String {
        let headers = request.headers.sorted { $0.name < $1.name }
        var text = ""
        text.reserveCapacity(1024)
        text += request.method
        text += "\n"
        text += request.path
        text += "\n"
        text += canonicalQuery(request.query)
        text += "\n"
        for header in headers {
            text += header.name
            text += ":"
            appendTrimmed(header.value, to: &text)
            text += "\n"
        }
        text += "\n"
        for (index, header) in headers.enumerated() {
            if index > 0 { text += ";" }
            text += header.name
        }
        text += "\n"
        text += request.payload
        return text
    }

    /// What a signing key is good for: `20130524/us-east-1/s3/aws4_request`.
    public static func scope(_ time: SigningTime, region: String, service: String) -> String {
        "\(time.date)/\(region)/\(service)/aws4_request"
    }

    /// What is signed: the algorithm, the time, the scope and the digest of the canonical request.
    public static func stringToSign(_ canonicalRequest: String, time: SigningTime, scope: String) -> String {
        var canonicalRequest = canonicalRequest
        let digest = canonicalRequest.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
        return "AWS4-HMAC-SHA256\n\(time.text)\n\(scope)\n\(Hexadecimal.text(of: digest))"
    }

    /// The key that signs for one day, region and service.
    public static func signingKey(
        secret: String, time: SigningTime, region: String, service: String
    ) -> [UInt8] {
        var key = Array("AWS4".utf8) + Array(secret.utf8)
        for step in [String(time.date), region, service, "aws4_request"] {
            key = Array(HMAC<SHA256>.authenticationCode(for: Array(step.utf8), using: SymmetricKey(data: key)))
        }
        return key
    }

    /// The signature in lower-case hexadecimal.
    public static func signature(of stringToSign: String, key: [UInt8]) -> String {
        signature(of: stringToSign, key: SymmetricKey(data: key))
    }

    static func signature(of stringToSign: String, key: SymmetricKey) -> String {
        var stringToSign = stringToSign
        let code = stringToSign.withUTF8 {
            HMAC<SHA256>.authenticationCode(for: UnsafeRawBufferPointer($0), using: key)
        }
        return Hexadecimal.text(of: code)
    }

    /// Parameters sorted by name, then value; a name alone gets its `=`.
    private static func canonicalQuery(_ query: String) -> String {
        if query.isEmpty { return "" }
        let parameters = query.utf8.split(separator: UInt8(ascii: "&")).map { parameter in
            let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (name: Array(parts[0]), value: parts.count > 1 ? Array(parts[1]) : [])
        }
        let sorted = parameters.sorted {
            $0.name == $1.name
                ? $0.value.lexicographicallyPrecedes($1.value) : $0.name.lexicographicallyPrecedes($1.name)
        }
        return sorted.map { String(decoding: $0.name + [UInt8(ascii: "=")] + $0.value, as: UTF8.self) }
            .joined(separator: "&")
    }

    /// A header's value without outer spaces, with runs of inner ones as one.
    private static func appendTrimmed(_ value: String, to text: inout String) {
        let space = UInt8(ascii: " ")
        let utf8 = value.utf8
        var previous = space
        let needsWork =
            utf8.last == space
            || utf8.contains { byte in
                defer { previous = byte }
                return byte == space && previous == space
            }
        text += needsWork ? value.split(separator: " ").joined(separator: " ") : value
    }
}
