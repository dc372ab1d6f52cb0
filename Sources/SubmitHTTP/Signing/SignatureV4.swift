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
    public static func digest(of body: [UInt8]) -> String {
        SHA256.hash(data: body).withUnsafeBytes { Hexadecimal.text(of: $0) }
    }

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
        var request = request
        request.headers.sort { $0.name < $1.name }
        return String(decoding: canonicalForm(ofSorted: request).text, as: UTF8.self)
    }

    /// The canonical form of a request whose headers are sorted, and where in it the names of the headers are listed.
    static func canonicalForm(ofSorted request: Request) -> (text: [UInt8], names: Range<Int>) {
        var text: [UInt8] = []
        text.reserveCapacity(1024)
        func append(_ part: String, _ end: UInt8) {
            text.append(contentsOf: part.utf8)
            text.append(end)
        }
        let newline = UInt8(ascii: "\n")
        append(request.method, newline)
        append(request.path, newline)
        append(canonicalQuery(request.query), newline)
        for header in request.headers {
            append(header.name, UInt8(ascii: ":"))
            appendTrimmed(header.value, to: &text)
            text.append(newline)
        }
        text.append(newline)
        let start = text.count
        for header in request.headers { append(header.name, UInt8(ascii: ";")) }
        // In place of the last one's.
        if !request.headers.isEmpty { text.removeLast() }
        let names = start..<text.count
        text.append(newline)
        text.append(contentsOf: request.payload.utf8)
        return (text, names)
    }

    /// What a signing key is good for: `20130524/us-east-1/s3/aws4_request`.
    public static func scope(_ time: SigningTime, region: String, service: String) -> String {
        "\(time.date)/\(region)/\(service)/aws4_request"
    }

    /// What is signed: the algorithm, the time, the scope and the digest of the canonical request.
    public static func stringToSign(_ canonicalRequest: String, time: SigningTime, scope: String) -> String {
        String(decoding: stringToSign(Array(canonicalRequest.utf8), time: time, scope: scope), as: UTF8.self)
    }

    static func stringToSign(_ canonicalRequest: [UInt8], time: SigningTime, scope: String) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(192)
        text.append(contentsOf: "AWS4-HMAC-SHA256\n".utf8)
        text.append(contentsOf: time.text.utf8)
        text.append(UInt8(ascii: "\n"))
        text.append(contentsOf: scope.utf8)
        text.append(UInt8(ascii: "\n"))
        text.append(contentsOf: digest(of: canonicalRequest).utf8)
        return text
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
        signature(of: Array(stringToSign.utf8), begunWith: HMAC<SHA256>(key: SymmetricKey(data: key)))
    }

    /// - Parameter code: of the key, which has taken nothing in yet.
    static func signature(of stringToSign: [UInt8], begunWith code: HMAC<SHA256>) -> String {
        var code = code
        code.update(data: stringToSign)
        return code.finalize().withUnsafeBytes { Hexadecimal.text(of: $0) }
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
    private static func appendTrimmed(_ value: String, to text: inout [UInt8]) {
        let space = UInt8(ascii: " ")
        let start = text.count
        text.append(contentsOf: value.utf8)
        var previous = space
        let needsWork = text[start...].contains { byte in
            defer { previous = byte }
            return byte == space && previous == space
        }
        guard needsWork || previous == space else { return }
        text.removeSubrange(start...)
        text.append(contentsOf: value.split(separator: " ").joined(separator: " ").utf8)
    }
}
