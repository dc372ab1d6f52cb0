public import Submit

/// One HTTP request, complete: nothing is added to it but what the protocol itself needs.
public struct HTTPRequest: Sendable {
    /// Upper case: `PUT`.
    public var method: String
    /// An absolute `http` or `https` URL, percent-encoded as it shall be sent. It is not normalised.
    public var url: String
    /// Name and value pairs in the order they are sent. `Content-Length` and `Host` are made by the transport.
    public var headers: [(name: String, value: String)]
    /// What follows the headers.
    public var body: HTTPBody
    /// The longest response body that is kept; a longer one fails the request.
    public var responseLimit: Int
    /// The server may give its whole answer, a success too, without reading the body, and end the connection: that
    /// answer stands then.
    public var takesEarlyAnswer = false
    /// The answer's status and headers are all that is needed: its body is not waited for, and not kept.
    public var needsOnlyHead = false
    /// The transport does not send it again by itself, whatever its method: who sends it looks first whether it was done.
    public var isSentOnce = false
    /// For how many seconds nothing may move, an answer included; `nil` for as long as the transport allows.
    public var stallTimeout: Int?
    /// Bytes that the server may have to work on before it answers: it scans, assembles or copies them. The longer it may
    /// take then. If not given, the body's where that is an item's; `nil` where it has nothing to work on.
    public var workload: Int64? {
        get {
            if let givenWorkload { return givenWorkload }
            return if case .media = body { body.length } else { nil }
        }
        set { givenWorkload = newValue }
    }
    private var givenWorkload: Int64?
    /// Shown to servers that ask for one.
    public var clientCertificate: ClientCertificate?
    /// The path of a file of trusted certificates in PEM form, in place of those the transport trusts.
    public var certificateAuthority: String?
    /// The text fields of a multipart body, where a signature has to cover them; those of a form are found in it.
    public var signedFields: [WebForm.Field] = []
    /// Takes the body of a successful answer while it comes, in place of ``HTTPResponse/body``: the answer's head, the bytes'
    /// offset in the body, and the bytes. The transfer ends well where it returns false. It may begin again at offset 0.
    /// Cheap, from the transport's thread. A transport that hands over bodies at once may leave it in the answer.
    public var receive: (@Sendable (HTTPResponse, Int64, UnsafeRawBufferPointer) -> Bool)?
    /// Called with the number of body bytes handed to the network so far. Cheap, from the transport's thread.
    public var sent: (@Sendable (Int64) -> Void)?
    /// Called when an exchange for it has ended, for each where it was sent more than once. Cheap, from the transport's thread.
    package var measured: (@Sendable (TransferMeasure) -> Void)?

    /// A request of whose answer at most 1 MiB is kept, where nothing else is given.
    public init(
        method: String, url: String, headers: [(name: String, value: String)] = [], body: HTTPBody = .none,
        responseLimit: Int = 1 << 20, clientCertificate: ClientCertificate? = nil,
        certificateAuthority: String? = nil, sent: (@Sendable (Int64) -> Void)? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.responseLimit = responseLimit
        self.clientCertificate = clientCertificate
        self.certificateAuthority = certificateAuthority
        self.sent = sent
    }
}

/// A request's body. It can be read again from its start whenever a request has to be repeated.
public enum HTTPBody: Sendable {
    /// No body at all, as `GET` has none.
    case none
    /// Bytes held in memory. None of them are a body of length 0.
    case bytes([UInt8])
    /// A range of a media item. Never held in memory.
    case media(any MediaBytes, Range<Int64>)

    /// Bytes; `nil` where there is no body at all.
    public var length: Int64? {
        switch self {
        case .none: nil
        case .bytes(let bytes): Int64(bytes.count)
        case .media(_, let range): range.upperBound - range.lowerBound
        }
    }
}
