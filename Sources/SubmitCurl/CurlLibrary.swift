internal import CCurl

/// The libcurl that is loaded.
package enum CurlLibrary {
    /// Its version and those of the libraries it stands on, TLS first.
    package static var version: String { String(cString: curl_version()) }

    /// What it can do.
    package static var features: [String] {
        guard let known = curl_version_info(CURLVERSION_FIRST)?.pointee.features else { return [] }
        let names: [(CInt, String)] = [
            (CURL_VERSION_SSL, "TLS"), (CURL_VERSION_HTTP2, "HTTP2"), (CURL_VERSION_IPV6, "IPv6"),
            (CURL_VERSION_ASYNCHDNS, "AsynchDNS"), (CURL_VERSION_LARGEFILE, "Largefile"), (CURL_VERSION_LIBZ, "libz"),
            (CURL_VERSION_HTTPS_PROXY, "HTTPS-proxy"),
        ]
        return names.filter { known & $0.0 != 0 }.map(\.1)
    }
}
