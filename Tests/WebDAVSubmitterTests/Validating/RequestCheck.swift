import Submit
import SubmitHTTP
import SubmitXML

/// Whether a request is one that RFC 4918 and RFC 9110 allow.
struct RequestCheck {
    private let request: HTTPRequest
    private(set) var violations: [String] = []

    init(_ request: HTTPRequest) {
        self.request = request
        checkTarget(request.url, "the target")
        checkHeaders()
        checkBody()
        checkDepth()
        checkDestination()
        checkLocks()
        checkRanges()
    }

    private subscript(_ header: String) -> String? {
        request.headers.first { $0.name.lowercased() == header.lowercased() }?.value
    }

    private mutating func complain(_ complaint: String) {
        violations.append("\(request.method) \(request.url): \(complaint)")
    }

    private mutating func require(_ isRight: Bool, _ complaint: @autoclosure () -> String) {
        if !isRight { complain(complaint()) }
    }

    // MARK: The target (RFC 3986, RFC 9110 section 4.2)

    private mutating func checkTarget(_ url: String, _ what: String) {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty, !parts[2].isEmpty else {
            return complain("\(what) “\(url)” is no absolute URL with a path")
        }
        let path = parts[3].prefix { $0 != "?" }
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/%".utf8)
        require(
            parts[3].utf8.allSatisfy { allowed.contains($0) || $0 == UInt8(ascii: "?") },
            "\(what) has characters that must be encoded")
        require(!url.contains("#"), "\(what) has a fragment")
        let bytes = Array(path.utf8)
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
            let digits = bytes.dropFirst(index + 1).prefix(2)
            let isEncoded = digits.count == 2 && digits.allSatisfy { Self.isHexadecimal($0) }
            require(isEncoded, "\(what) has a % that encodes nothing")
        }
        require(!path.split(separator: "/").contains { $0 == "." || $0 == ".." }, "\(what) has dot segments")
        require(!path.contains("//"), "\(what) has an empty segment")
        if request.method == "MKCOL", what == "the target" {
            require(path.hasSuffix("/"), "a collection's URL should end with a slash (RFC 4918, section 5.2)")
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }

    // MARK: Headers in general (RFC 9110, section 5)

    private mutating func checkHeaders() {
        let token = Set("!#$%&'*+-.^_`|~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        for header in request.headers {
            require(
                !header.name.isEmpty && header.name.utf8.allSatisfy(token.contains),
                "“\(header.name)” is no header's name")
            let isText = header.value.utf8.allSatisfy { $0 == 9 || (32...126).contains($0) }
            require(isText, "\(header.name) has characters that no header has")
            require(header.value.first != " " && header.value.last != " ", "\(header.name) has blanks at its ends")
        }
        let names = request.headers.map { $0.name.lowercased() }
        require(Set(names).count == names.count, "a header is sent twice: \(names)")
        // Servers are known that answer 2xx and store nothing then; and old ones know no chunks.
        require(self["Expect"] == nil, "Expect is sent")
        require(self["Transfer-Encoding"] == nil, "the body is chunked")
        require(self["Content-Length"] == nil && self["Host"] == nil, "what the transport makes is made twice")
        require(request.method == request.method.uppercased(), "the method is not in upper case")
        let known = [
            "GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "MKCOL", "MOVE", "COPY", "PROPFIND",
            "PROPPATCH",
            "LOCK", "UNLOCK",
        ]
        require(known.contains(request.method), "the method is not known")
    }

    // MARK: Bodies

    private mutating func checkBody() {
        switch request.method {
        case "GET", "HEAD", "DELETE", "OPTIONS", "MKCOL", "MOVE", "COPY", "UNLOCK":
            require(request.body.length == nil, "it has a body")
            require(self["Content-Type"] == nil, "it has a Content-Type without a body")
        // All properties are meant then (RFC 4918, section 9.1).
        case "PROPFIND" where request.body.length == nil:
            require(self["Content-Type"] == nil, "it has a Content-Type without a body")
        case "PROPFIND", "PROPPATCH": checkXML([request.method == "PROPFIND" ? "propfind" : "propertyupdate"])
        case "LOCK" where request.body.length != nil: checkXML(["lockinfo"])
        case "PUT":
            require(request.body.length != nil, "it has no body, not even an empty one")
        case "PATCH":
            require(request.body.length ?? 0 > 0, "it has no body")
            require(self["Content-Type"] != nil, "its body has no Content-Type")
        default: break
        }
    }

    private mutating func checkXML(_ roots: Set<String>) {
        guard case .bytes(let bytes) = request.body else { return complain("it has no document") }
        let type = self["Content-Type"]?.lowercased() ?? ""
        require(
            type.hasPrefix("application/xml") || type.hasPrefix("text/xml"),
            "a document's Content-Type is “\(type)” (RFC 4918, section 8.2)")
        do throws(XMLFailure) {
            var children: [XMLElement] = []
            let root = try XMLReader.elements(bytes) { children.append($0) }
            require(root.namespace == "DAV:" && roots.contains(root.local), "the document is \(root)")
            require(!children.isEmpty, "the document is empty")
            require(children.allSatisfy { $0.name.namespace == "DAV:" }, "its elements are of another namespace")
            if root.local == "propertyupdate" {
                let isRight = children.allSatisfy {
                    ["set", "remove"].contains($0.name.local) && $0.children.count == 1
                }
                require(isRight, "each set and remove has one prop (RFC 4918, section 14.26)")
            }
        } catch {
            complain("its document: \(error)")
        }
    }

    // MARK: Depth, Destination, Overwrite (RFC 4918, sections 10.2 to 10.6)

    private mutating func checkDepth() {
        let depth = self["Depth"]
        switch request.method {
        case "PROPFIND": require(["0", "1"].contains(depth), "Depth is \(depth ?? "not there, which means infinity")")
        case "LOCK" where request.body.length != nil:
            require(["0", "infinity"].contains(depth), "Depth is \(depth ?? "not there")")
        case "MOVE", "COPY", "DELETE":
            require(depth == nil || depth == "infinity", "Depth is \(depth ?? "")")
        default: require(depth == nil, "Depth means nothing here")
        }
    }

    private mutating func checkDestination() {
        let movesOrCopies = request.method == "MOVE" || request.method == "COPY"
        if let destination = self["Destination"] {
            checkTarget(destination, "the Destination")
            // Nextcloud's version 2 wants one when pieces are made and sent, too.
            require(movesOrCopies || request.url.contains("/uploads/"), "Destination means nothing here")
            require(Self.origin(destination) == Self.origin(request.url), "the Destination is at another server")
            require(destination != request.url, "it moves something to where it is")
        } else {
            require(!movesOrCopies, "there is no Destination")
        }
        if let overwrite = self["Overwrite"] {
            require(movesOrCopies, "Overwrite means nothing here")
            require(["T", "F"].contains(overwrite), "Overwrite is “\(overwrite)”")
        } else {
            require(!movesOrCopies, "there is no Overwrite, which means T")
        }
    }

    private static func origin(_ url: String) -> Substring {
        url.prefix(while: { $0 != "/" }) + url.dropFirst(url.prefix { $0 != "/" }.count).prefix(2)
            + url.split(separator: "/", omittingEmptySubsequences: true)[1]
    }

    // MARK: Locks (RFC 4918, sections 9.10, 9.11, 10.4, 10.5, 10.7)

    private mutating func checkLocks() {
        if let condition = self["If"] {
            // Lists of state tokens, untagged or all tagged, or an ETag of what would be replaced.
            let list = #/\((?:Not )?<[^<> ]+>(?: (?:Not )?<[^<> ]+>)*\)/#
            let isUntagged = condition.wholeMatch(of: #/\(<[^<> ]+>\)(?: \(<[^<> ]+>\))*/#) != nil
            let isTagged =
                condition.wholeMatch(of: #/<https?://[^<> ]+> \(<[^<> ]+>\)(?: <https?://[^<> ]+> \(<[^<> ]+>\))*/#)
                != nil
            let isETag = condition.wholeMatch(of: #/<https?://[^<> ]+> \(\["[^"]*"\]\)/#) != nil
            require(condition.firstMatch(of: list) != nil && (isUntagged || isTagged) || isETag, "If is “\(condition)”")
        }
        if let timeout = self["Timeout"] {
            require(request.method == "LOCK", "Timeout means nothing here")
            require(
                timeout.wholeMatch(of: #/(?:Second-[0-9]+|Infinite)(?:, ?(?:Second-[0-9]+|Infinite))*/#) != nil,
                "Timeout is “\(timeout)”")
            let seconds = timeout.firstMatch(of: #/Second-([0-9]+)/#).flatMap { Int64($0.1) }
            require(seconds ?? 0 < 1 << 32, "Timeout is longer than there is")
        }
        if let token = self["Lock-Token"] {
            require(request.method == "UNLOCK", "Lock-Token means nothing here")
            require(token.wholeMatch(of: #/<[^<> ]+:[^<> ]+>/#) != nil, "Lock-Token is “\(token)”")
        } else {
            require(request.method != "UNLOCK", "there is no Lock-Token")
        }
        if request.method == "LOCK", request.body.length == nil {
            require(self["If"] != nil, "a lock is refreshed without its token")
        }
    }

    // MARK: Ranges and conditions (RFC 9110, sections 13 and 14)

    private mutating func checkRanges() {
        if let range = self["Range"] {
            require(request.method == "GET", "Range means nothing here")
            let bounds = range.wholeMatch(of: #/bytes=([0-9]+)-([0-9]+)/#).flatMap { match in
                Int64(match.1).flatMap { first in Int64(match.2).map { (first, $0) } }
            }
            require(bounds.map { $0.0 <= $0.1 } ?? false, "Range is “\(range)”")
        }
        if let range = self["Content-Range"] {
            require(request.method == "PUT", "Content-Range means nothing here")
            let numbers = range.wholeMatch(of: #/bytes ([0-9]+)-([0-9]+)/([0-9]+)/#)
                .map { [$0.1, $0.2, $0.3].compactMap { Int64($0) } }
            checkPiece(numbers ?? [], range)
        }
        if let range = self["X-Update-Range"] {
            require(request.method == "PATCH", "X-Update-Range means nothing here")
            let numbers = range.wholeMatch(of: #/bytes=([0-9]+)-([0-9]+)/#).map {
                [$0.1, $0.2].compactMap { Int64($0) }
            }
            checkPiece((numbers ?? []) + [.max], range)
        }
        for name in ["If-Match", "If-None-Match"] {
            guard let tags = self[name] else { continue }
            require(
                tags == "*" || tags.wholeMatch(of: #/(?:W/)?"[^"]*"(?:, ?(?:W/)?"[^"]*")*/#) != nil,
                "\(name) is “\(tags)”")
        }
    }

    private mutating func checkPiece(_ numbers: [Int64], _ range: String) {
        guard numbers.count == 3 else { return complain("the range is “\(range)”") }
        require(numbers[0] <= numbers[1] && numbers[1] < numbers[2], "the range is “\(range)”")
        let length = request.body.length ?? 0
        require(numbers[1] - numbers[0] + 1 == length, "the range “\(range)” is not of the body's \(length) bytes")
    }
}
