internal import CCurl
internal import SubmitHTTP

extension HTTPRequest {
    /// Whether it may go out twice: sending it twice has the effect of sending it once (RFC 9110, section 9.2.2;
    /// PROPFIND: RFC 4918, section 9.1), and nobody forbids it.
    var isRepeatable: Bool {
        guard !isSentOnce else { return false }
        return switch method {
        case "PUT", "GET", "HEAD", "OPTIONS", "DELETE", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "UNLOCK": true
        default: false
        }
    }

    /// Scheme, host and port, as written.
    var origin: Substring { url[..<(authority?.endIndex ?? url.endIndex)] }

    /// `https`.
    var isSecure: Bool { scheme.isName("https") }

    private var scheme: Substring { url[..<(url.utf8.firstIndex(of: UInt8(ascii: ":")) ?? url.startIndex)] }

    /// Host and port, as written; `nil` where the URL is none.
    private var authority: Substring? {
        let rest = url.utf8[scheme.endIndex...]
        guard rest.starts(with: "://".utf8) else { return nil }
        let start = rest.index(rest.startIndex, offsetBy: 3)
        return url[start..<(rest[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? url.endIndex)]
    }

    /// The length of the body to announce; `nil` for no body. A method that is about a body announces an empty one
    /// (RFC 9110, section 8.6), without which some servers answer 411.
    var lengthToSend: Int64? {
        body.length ?? (["POST", "PUT", "PATCH"].contains(method) ? 0 : nil)
    }

    /// Refuses what would not arrive as written: a URL that libcurl would have to interpret, and whatever would break
    /// out of its header or contradict the framing of the body.
    func checkSendable() throws(HTTPFailure) {
        guard method.isToken else { throw .badRequest("The method is not a word of HTTP") }
        guard method != "HEAD" || body.length == nil else { throw .badRequest("HEAD takes no body") }
        try checkURL()
        for (name, value) in headers {
            guard name.isToken else { throw .badRequest("The name of a header has characters that none may have") }
            guard !value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
                throw .badRequest("The value of the header “\(name)” has a line break or a NUL")
            }
            guard !name.isName("content-length"), !name.isName("host"), !name.isName("transfer-encoding") else {
                throw .badRequest("The header “\(name)” is made by the transport")
            }
        }
    }

    private func checkURL() throws(HTTPFailure) {
        let text = url.utf8
        guard text.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw .badRequest("The URL has characters that must be percent-encoded")
        }
        guard let authority, isSecure || scheme.isName("http") else {
            throw .badRequest("The URL is neither http nor https")
        }
        guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw .badRequest("The URL names no host, or a user beside it")
        }
    }

    /// The headers as libcurl takes them, to be freed by the caller: `Name;` is a header with an empty value, `Name:`
    /// one not to be sent. libcurl would add `Accept` and, for larger bodies, `Expect`, which costs a second wherever
    /// a server does not know it.
    func makeHeaderList() -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        var (hasAccept, hasExpect) = (false, false)
        for (name, value) in headers {
            list = curl_slist_append(list, value.isEmpty ? name + ";" : name + ": " + value)
            if name.isName("accept") { hasAccept = true }
            if name.isName("expect") { hasExpect = true }
        }
        if !hasAccept { list = curl_slist_append(list, "Accept:") }
        if !hasExpect { list = curl_slist_append(list, "Expect:") }
        return list
    }
}

extension String {
    /// RFC 9110, section 5.6.2.
    fileprivate var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains($0)
                }
            }
    }
}
