internal import CCurl
internal import SubmitHTTP

extension HTTPRequest {
    /// Whether it may go out twice: sending it twice has the effect of sending it once (RFC 9110, section 9.2.2;
    /// PROPFIND: RFC 4918, section 9.1), and nobody forbids it.
    var isRepeatable: Bool {
        !isSentOnce
            && [
                "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "UNLOCK",
            ].contains(method)
    }

    /// Scheme, host and port, as written.
    var origin: Substring {
        let authority = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        return url[..<(url[authority...].firstIndex { "/?".contains($0) } ?? url.endIndex)]
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
            guard !["content-length", "host", "transfer-encoding"].contains(name.lowercased()) else {
                throw .badRequest("The header “\(name)” is made by the transport")
            }
        }
    }

    private func checkURL() throws(HTTPFailure) {
        let text = url.utf8
        guard text.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw .badRequest("The URL has characters that must be percent-encoded")
        }
        guard let colon = url.firstRange(of: "://"), ["http", "https"].contains(url[..<colon.lowerBound].lowercased())
        else { throw .badRequest("The URL is neither http nor https") }
        let authority = url[colon.upperBound...].prefix { !"/?".contains($0) }
        guard !authority.isEmpty, !authority.contains("@") else {
            throw .badRequest("The URL names no host, or a user beside it")
        }
    }

    /// The headers as libcurl takes them, to be freed by the caller: `Name;` is a header with an empty value, `Name:`
    /// one not to be sent. libcurl would add `Accept` and, for larger bodies, `Expect`, which costs a second wherever
    /// a server does not know it.
    func makeHeaderList() -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for (name, value) in headers {
            list = curl_slist_append(list, value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        for name in ["Accept", "Expect"] where !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) {
            list = curl_slist_append(list, "\(name):")
        }
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
