internal import Submit
internal import SubmitHTTP

/// A bucket at its service: where things are, and signed requests about them.
struct Bucket: Sendable {
    let name: String
    let region: String
    /// `scheme://authority` of its URLs, for sentences.
    let origin: String
    let now: @Sendable () -> Timestamp

    private let authority: String
    /// The path of the bucket itself, percent-encoded; keys follow after a `/`.
    private let path: String
    private let accessKey: AccessKey
    private let signer: SignatureV4Signer
    private let transport: any HTTPTransport

    init(
        name: String, endpoint: Endpoint, isPathStyle: Bool, region: String, accessKey: AccessKey,
        transport: any HTTPTransport, now: @escaping @Sendable () -> Timestamp
    ) {
        self.name = name
        self.region = region
        self.accessKey = accessKey
        self.transport = transport
        self.now = now
        authority = isPathStyle ? endpoint.authority : "\(name).\(endpoint.authority)"
        origin = (endpoint.isSecure ? "https://" : "http://") + authority
        path = isPathStyle ? "\(endpoint.basePath)/\(PercentEncoding.encode(name))" : endpoint.basePath
        signer = SignatureV4Signer(accessKey, region: region)
    }

    /// Whether a text can be a bucket's name in a URL's path. Services differ in what they take.
    static func isName(_ text: String) -> Bool {
        text != "." && text != ".." && text.utf8.count <= 255
            && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 32 }
    }

    /// Whether a text can be a bucket's name in a host's name.
    static func isHostName(_ text: String) -> Bool {
        text.utf8.count <= 63
            && text.utf8.allSatisfy { isLetterOrDigit($0) && $0 != UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
            && !text.hasPrefix(".") && !text.hasSuffix(".") && !text.contains("..")
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Where an object is. Holds no credentials.
    func url(of key: String) -> String { origin + path + "/" + PercentEncoding.encodePath(key) }

    /// Sends a signed request about the bucket or an object in it, and returns the answer whatever its status.
    ///
    /// - Parameters:
    ///   - key: the object's; `nil` for the bucket.
    ///   - query: percent-encoded; empty for none.
    ///   - headers: their names in lower case.
    ///   - digest: the body's SHA-256 in hexadecimal.
    ///   - file: whose name belongs into a failure's sentence.
    func send(
        _ method: String, _ key: String?, query: String = "", headers: [(name: String, value: String)] = [],
        body: HTTPBody = .none, digest: String = SignatureV4.emptyPayload, file: String? = nil,
        responseLimit: Int = 64 << 10, sent: (@Sendable (Int64) -> Void)? = nil
    ) async throws(SubmitFailure) -> HTTPResponse {
        let path = key.map { self.path + "/" + PercentEncoding.encodePath($0) } ?? (self.path.isEmpty ? "/" : self.path)
        let signed = signer.sign(
            SignatureV4.Request(
                method: method, path: path, query: query, headers: headers + [("host", authority)], payload: digest),
            at: SigningTime(secondsSince1970: now().seconds))
        let request = HTTPRequest(
            method: method, url: origin + path + (query.isEmpty ? "" : "?" + query), headers: signed, body: body,
            responseLimit: responseLimit, sent: sent)
        do {
            return try await transport.send(request)
        } catch {
            throw error.submitFailure(host: authority, file: file)
        }
    }

    /// A stranger's text, fit for a sentence: short, on one line, without our secrets.
    func quoted(_ text: String) -> String {
        // First the secrets: half of one would not be found.
        let shown = accessKey.redacted(text).unicodeScalars.prefix(200)
        return String(String.UnicodeScalarView(shown.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }
}
