internal import Submit

/// What of requests and answers may be shown: names always, values by allow-list.
///
/// Whatever is shown goes through ``Submit/KnownSecrets`` besides, whole, before it is cut.
package enum TraceRedaction {
    /// Bytes of a body that are shown.
    static let longestBody = 2 << 10
    /// As many more are looked at, so that no secret is cut in two before it is found.
    private static let margin = 16 << 10
    private static let longestValue = 400

    /// Headers whose values are no credentials, in small letters.
    private static let plainHeaders: Set<String> = [
        "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow", "alt-svc", "cache-control",
        "connection", "content-disposition", "content-encoding", "content-language", "content-length", "content-md5",
        "content-range", "content-type", "date", "dav", "depth", "destination", "digest", "etag", "expect", "expires",
        "host", "if", "www-authenticate", "x-hash", "x-nc-skip-trashbin",
        "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "keep-alive", "last-modified",
        "location", "ms-author-via",
        "oc-checksum", "oc-chunked", "oc-etag", "oc-fileid", "oc-total-length", "overwrite", "pragma", "range",
        "retry-after",
        "server", "status", "timeout", "transfer-encoding", "tus-resumable", "tus-version", "upload-length",
        "upload-offset",
        "user-agent", "vary", "via", "warning", "x-content-type-options", "x-oc-mtime", "x-powered-by", "x-request-id",
        "x-trans-id", "x-openstack-request-id", "x-timestamp", "x-ratelimit-limit", "x-ratelimit-remaining",
        "x-ratelimit-reset",
    ]
    /// Beginnings of those of object storage, but for tokens.
    private static let plainBeginnings = ["x-amz-", "x-object-", "x-container-", "x-account-meta-quota", "x-goog-"]
    private static let never = [
        "token", "auth", "secret", "signature", "credential", "customer-key", "cookie", "password", "temp-url",
    ]

    /// Parameters of URLs whose values are no credentials.
    private static let plainParameters: Set<String> = [
        "partnumber", "uploads", "versioning", "versionid", "location", "list-type", "prefix", "delimiter", "max-keys",
        "marker",
        "continuation-token", "max-uploads", "key-marker", "upload-id-marker", "part-number-marker", "encoding-type",
        "format",
        "limit", "page", "per_page", "count", "offset", "method", "multipart-manifest", "uploadid", "uploadtype",
        "fields",
        "response-content-disposition", "x-amz-algorithm", "x-amz-date", "x-amz-expires", "x-amz-signedheaders",
        "grant_type", "response_type", "scope", "api-version", "v", "type",
    ]

    /// A URL without who signs in, and without what may open a door.
    package static func url(_ url: String) -> String {
        var text = url
        if let scheme = text.firstRange(of: "://") {
            let rest = text[scheme.upperBound...]
            let authority = rest.prefix { !"/?#".contains($0) }
            if let at = authority.lastIndex(of: "@") { text.replaceSubrange(scheme.upperBound...at, with: "…@") }
        }
        if let hash = text.firstIndex(of: "#") { text.replaceSubrange(hash..., with: "#…") }
        if let mark = text.firstIndex(of: "?") {
            let query = text[text.index(after: mark)...]
            text.replaceSubrange(text.index(after: mark)..., with: self.query(query))
        }
        return KnownSecrets.redacted(text)
    }

    private static func query(_ query: Substring) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
            let (name, value) = (pair[..<equals], pair[pair.index(after: equals)...])
            return value.isEmpty || plainParameters.contains(name.lowercased())
                ? String(pair) : "\(name)=…"
        }.joined(separator: "&")
    }

    static func headers(_ headers: [(name: String, value: String)]) -> [String] {
        headers.map { header in
            let name = header.name.lowercased()
            guard isPlain(name) else { return "\(header.name): …" }
            // A place to go to is a URL, and may be one that is signed.
            let value =
                header.value.contains("://")
                ? url(header.value) : KnownSecrets.redacted(header.value)
            return "\(header.name): \(value.count > longestValue ? String(value.prefix(longestValue)) + "…" : value)"
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        if never.contains(where: name.contains) { return false }
        return plainHeaders.contains(name) || plainBeginnings.contains(where: name.hasPrefix)
    }

    /// A body that lies in memory: text up to a bound, and of all else its length.
    static func body(_ bytes: [UInt8], _ headers: [(name: String, value: String)]) -> String {
        if bytes.isEmpty { return "" }
        let type = headers.first { $0.name.lowercased() == "content-type" }?.value ?? ""
        let kind = type.prefix { $0 != ";" }.lowercased()
        // Forms are where passwords and tokens travel.
        let isForm = kind == "application/x-www-form-urlencoded"
        let isText =
            isForm || kind.isEmpty || kind.hasPrefix("text/")
            || ["json", "xml", "javascript"].contains(where: kind.contains)
        guard isText, let text = text(of: bytes) else {
            return "\(bytes.count) bytes of \(kind.isEmpty ? "no type" : kind)"
        }
        let shown = isForm ? query(Substring(text)) : SecretMembers.hidden(in: text)
        return
            "\(bytes.count) bytes: \(shown.utf8.count > longestBody ? String(shown.prefix(longestBody)) + "…" : shown)"
    }

    /// A body's text without secrets, as far as it is looked at; `nil` if it is no text.
    private static func text(of bytes: [UInt8]) -> String? {
        var beginning = bytes.prefix(longestBody + margin)
        // Cut within a character, its rest is no UTF-8.
        if beginning.count < bytes.count {
            while let last = beginning.last, last & 0xc0 == 0x80 { beginning.removeLast() }
        }
        if beginning.count < bytes.count, let last = beginning.last, last >= 0xc0 { beginning.removeLast() }
        guard let text = String(validating: beginning, as: UTF8.self), !text.unicodeScalars.contains("\0") else {
            return nil
        }
        return beginning.count < bytes.count ? KnownSecrets.redactedBeginning(of: text) : KnownSecrets.redacted(text)
    }
}

/// Members of JSON and elements of XML that are called as secrets are.
enum SecretMembers {
    /// The text with `…` for the values of those: tokens in the answer on a login are known to nobody yet.
    static func hidden(in text: String) -> String {
        var text = text
        // Newly made each time: a Regex is not Sendable.
        let member =
            /("[^"]*(?i:token|secret|password|passphrase|credential|signature|authorization|cookie|session|assertion|code_verifier|api_?key|private_?key|access_?key)[^"]*"\s*:\s*)("(?:[^"\\]|\\.)*"?|[0-9][^,}\]\s]*)/
        text.replace(member) { match in match.output.1 + "\"…\"" }
        let element = /(<(?:\w+:)?\w*(?i:token|secret|password|credential|signature|accesskey)\w*[^>]*>)([^<]+)/
        text.replace(element) { match in match.output.1 + "…" }
        return text
    }
}
