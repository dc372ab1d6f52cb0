/// What the next requests that match shall suffer.
public struct CloudFault: Sendable, Encodable {
    /// `*`: any.
    public var method = "*"
    /// A regular expression that finds something in the decoded path.
    public var path = ""
    /// Only requests that have this header.
    public var header: String?
    /// So many that match are spared first.
    public var skip = 0
    /// 0: for ever.
    public var times = 1
    private var status: Int?
    private var headers: [String: String]?
    private var body: String?
    private var after: Bool?
    private var cutAfterBodyBytes: Int?
    private var commitAndDrop: Bool?
    private var cutAnswerAfter: Int?
    private var hold: String?
    private var expireTokens: Bool?

    /// Answered like this, and nothing is done; without a body with the document such a server sends.
    public static func answer(_ status: Int, headers: [String: String] = [:], body: String? = nil) -> CloudFault {
        CloudFault(status: status, headers: headers, body: body)
    }

    /// It is done, and then answered like this, as by a proxy that did not wait.
    public static func doneButAnswer(_ status: Int, headers: [String: String] = [:]) -> CloudFault {
        CloudFault(status: status, headers: headers, after: true)
    }

    /// Access tokens end just before it is done; only a ``ServiceServer`` can.
    public static var expiredTokens: CloudFault { CloudFault(expireTokens: true) }

    /// The connection is reset when so many bytes of the body have been read.
    public static func cut(afterBodyBytes bytes: Int) -> CloudFault { CloudFault(cutAfterBodyBytes: bytes) }

    /// It is done, and the connection is reset in place of an answer.
    public static var doneButDropped: CloudFault { CloudFault(commitAndDrop: true) }

    /// The connection is reset after so many bytes of the answer's body.
    public static func cut(afterAnswerBytes bytes: Int) -> CloudFault { CloudFault(cutAnswerAfter: bytes) }

    /// Waits before anything is done until ``CloudServer/release(_:)``.
    public static func held(_ name: String) -> CloudFault { CloudFault(hold: name) }

    /// The same, and then nothing is done: it is answered with 503.
    public static func heldAndRefused(_ name: String) -> CloudFault { CloudFault(status: 503, hold: name) }

    /// `503` for maintenance.
    public static func maintenance(retryAfter seconds: Int) -> CloudFault {
        answer(503, headers: ["Retry-After": "\(seconds)"])
    }

    public static func tooManyRequests(retryAfter seconds: Int) -> CloudFault {
        answer(429, headers: ["Retry-After": "\(seconds)"])
    }

    private init(
        status: Int? = nil, headers: [String: String]? = nil, body: String? = nil, after: Bool? = nil,
        cutAfterBodyBytes: Int? = nil, commitAndDrop: Bool? = nil, cutAnswerAfter: Int? = nil, hold: String? = nil,
        expireTokens: Bool? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.after = after
        self.cutAfterBodyBytes = cutAfterBodyBytes
        self.commitAndDrop = commitAndDrop
        self.cutAnswerAfter = cutAnswerAfter
        self.hold = hold
        self.expireTokens = expireTokens
    }

    /// The same for certain requests.
    public func on(_ method: String, _ path: String = "", header: String? = nil, skip: Int = 0, times: Int = 1)
        -> CloudFault
    {
        var fault = self
        fault.method = method
        fault.path = path
        fault.header = header
        fault.skip = skip
        fault.times = times
        return fault
    }
}

/// How the fake is from now on.
public enum CloudSetting: Sendable {
    /// Bytes in all; `nil`: none; negative: what Nextcloud says when it does not know.
    case quota(Int?)
    case maintenance(Bool)
    /// Seconds that maintenance says.
    case retryAfter(Int)
    /// These and no others.
    case quirks(Set<CloudQuirk>)
    /// The status of a MOVE into no folder: 204, 404 or 500; 204 moves nothing.
    case moveMissingParent(Int?)
    /// A MOVE of an upload: 504, then so many requests find it going on, then it is done. `nil`: done at once.
    case assemblyRequests(Int?)
    /// So many of these come to nothing, and the chunks stay.
    case assemblyFails(Int)
    /// oCIS: so many requests after an upload find it not ready.
    case postprocessing(Int)
    /// Larger bodies are refused with 413.
    case maximumBody(Int?)
    /// What its own addresses begin with, as behind a `TLSFront`.
    case url(String?)

    var json: String {
        func value(_ number: Int?) -> String { number.map { "\($0)" } ?? "null" }
        switch self {
        case .quota(let bytes): return #""quota":\#(value(bytes))"#
        case .maintenance(let isOn): return #""maintenance":\#(isOn)"#
        case .retryAfter(let seconds): return #""retryAfter":\#(seconds)"#
        case .quirks(let quirks):
            return #""quirks":[\#(quirks.map { quoted($0.rawValue) }.sorted().joined(separator: ","))]"#
        case .moveMissingParent(let status): return #""moveMissingParent":\#(value(status))"#
        case .assemblyRequests(let count): return #""assemblyRequests":\#(value(count))"#
        case .assemblyFails(let count): return #""assemblyFails":\#(count)"#
        case .postprocessing(let count): return #""postprocessing":\#(count)"#
        case .maximumBody(let bytes): return #""maxBody":\#(value(bytes))"#
        case .url(let url): return #""url":\#(url.map(quoted) ?? "null")"#
        }
    }
}

/// What servers have been seen to do.
public enum CloudQuirk: String, Sendable, CaseIterable {
    case ignoresPreconditions = "ignore-preconditions"
    /// Of the header for the modification time.
    case ignoresTime = "ignore-mtime"
    /// Answers 2xx and stores nothing when `Expect: 100-continue` was sent.
    case expectStoresNothing = "expect-stores-nothing"
    /// Ignores `Content-Range` and keeps only the fragment, with 201.
    case keepsFragment = "fragment-put"
    /// Writes a `Content-Range` in place, as Apache does.
    case writesInPlace = "partial-put"
    /// In the first second after a write, by the clock.
    case weakETagAtFirst = "weak-etag"
    case weakETag = "weak-etag-always"
    case noETag = "no-etag"
    /// MKCOL of what is there: 201.
    case existingCollectionCreated = "mkcol-existing-201"
    /// MKCOL without a slash at the end: 409.
    case collectionNeedsSlash = "mkcol-needs-slash"
    /// A collection without a slash at the end: 301.
    case redirectsCollections = "collection-301"
    /// Neither MOVE nor COPY.
    case noMove = "no-move"
    /// 204 to a MOVE to where nothing was, as nginx.
    case moveAnswers204 = "move-new-204"
    case ignoresOverwrite = "ignore-overwrite"
    /// PROPPATCH sets `getlastmodified`.
    case settableTimes = "settable-times"
    /// Everything is a login page with status 200.
    case loginPage = "login-page"
    /// What came of a broken PUT lies under the final name.
    case keepsPartial = "keeps-partial"
    /// One bit of what it stores is wrong; the digests it computes are of what it stored.
    case corrupts
}
