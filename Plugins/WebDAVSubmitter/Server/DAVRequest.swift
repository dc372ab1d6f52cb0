internal import Submit
internal import SubmitHTTP

/// What is asked of a server, before it is known who asks.
struct DAVRequest: Sendable {
    var method: String
    /// Percent-encoded, from the server's root: beginning with `/`.
    var path: String
    var headers: [(name: String, value: String)]
    var body: HTTPBody
    /// The name of the file it is about, for sentences; `nil` for none.
    var file: String?
    /// Bytes of the longest answer that makes sense.
    var responseLimit = 1 << 20
    /// The body of the answer is not waited for.
    var needsOnlyHead = false
    var sent: (@Sendable (Int64) -> Void)?
    /// Bytes that the server may have to work on before it answers; `nil`: those of the body.
    var workload: Int64?
    /// As `HTTPRequest.receive`.
    var receive: (@Sendable (HTTPResponse, Int64, UnsafeRawBufferPointer) -> Bool)?

    init(
        _ method: String, _ path: String, headers: [(name: String, value: String)] = [], body: HTTPBody = .none,
        file: String? = nil
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.file = file
    }

    /// Asks what a collection can do, for which nobody needs a body: some servers never end it.
    static func options(_ collection: DAVPath) -> DAVRequest {
        var request = DAVRequest("OPTIONS", collection.encoded)
        request.needsOnlyHead = true
        return request
    }
}
