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
    var origin: Substring {
        let end = authority?.upperBound ?? url.utf8.count
        return url[..<url.utf8.index(url.startIndex, offsetBy: end)]
    }

    /// `https`.
    var isSecure: Bool {
        var url = url
        return url.withUTF8 { Self.isScheme("https://", of: $0) }
    }

    /// Where in the URL's bytes host and port stand; `nil` where it is neither http nor https.
    private var authority: Range<Int>? {
        var url = url
        return url.withUTF8 { bytes in
            let start = Self.isScheme("https://", of: bytes) ? 8 : Self.isScheme("http://", of: bytes) ? 7 : 0
            guard start > 0 else { return nil }
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
            return start..<end
        }
    }

    /// Whether it begins with this, in small letters, whatever its own case.
    private static func isScheme(_ scheme: StaticString, of url: UnsafeBufferPointer<UInt8>) -> Bool {
        guard url.count >= scheme.utf8CodeUnitCount else { return false }
        for index in 0..<scheme.utf8CodeUnitCount {
            let (byte, wanted) = (url[index], scheme.utf8Start[index])
            guard byte == wanted || byte | 0x20 == wanted && wanted >= UInt8(ascii: "a") else { return false }
        }
        return true
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
        var url = url
        let isWritten = url.withUTF8 { bytes in
            for byte in bytes where !(0x21...0x7e).contains(byte) || byte == UInt8(ascii: "#") { return false }
            return true
        }
        guard isWritten else { throw .badRequest("The URL has characters that must be percent-encoded") }
        guard let authority else { throw .badRequest("The URL is neither http nor https") }
        let namesUser = url.withUTF8 { UnsafeBufferPointer(rebasing: $0[authority]).contains(UInt8(ascii: "@")) }
        guard !authority.isEmpty, !namesUser else {
            throw .badRequest("The URL names no host, or a user beside it")
        }
    }

    /// The headers as libcurl takes them, to be freed by the caller: `Name;` is a header with an empty value, `Name:`
    /// one not to be sent. libcurl would add `Accept` and, for larger bodies, `Expect`, which costs a second wherever
    /// a server does not know it.
    ///
    /// - Parameter asksFirst: the server is asked whether the body may come.
    func makeHeaderList(asksFirst: Bool = false) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        var (hasAccept, hasExpect) = (false, false)
        for (name, value) in headers {
            list = curl_slist_append(list, value.isEmpty ? name + ";" : name + ": " + value)
            if name.isName("accept") { hasAccept = true }
            if name.isName("expect") { hasExpect = true }
        }
        if !hasAccept { list = curl_slist_append(list, "Accept:") }
        if !hasExpect { list = curl_slist_append(list, asksFirst ? "Expect: 100-continue" : "Expect:") }
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
