internal import CCurl
internal import SubmitHTTP

/// How libcurl says a transfer ended, and what that means.
///
/// Source: https://curl.se/libcurl/c/libcurl-errors.html.
struct TransferEnd {
    var code: CURLcode
    /// libcurl's words, without secrets.
    var text: String
    /// The request went out, at least in part.
    var wasSent: Bool
    /// Other requests went over the same connection before.
    var usedOldConnection = false
    /// The body was handed over to its last byte, so that the server may have got it.
    var bodyWasHandedOver: Bool
    /// It went through a proxy, as far as libcurl tells.
    var usedProxy: Bool
    /// The proxy's answer to CONNECT; 0 for none.
    var tunnelStatus: Int

    /// The connection ended before it should have.
    var isBreak: Bool {
        switch code {
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_UPLOAD_FAILED,
            CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_SEND_FAIL_REWIND, CURLE_SSL_SHUTDOWN_FAILED,
            CURLE_ABORTED_BY_CALLBACK:
            true
        default: false
        }
    }

    /// The server went away while TLS was being agreed on. libcurl has no code for that, only OpenSSL's words.
    private var isCutHandshake: Bool {
        ["reset by peer", "SSL_ERROR_SYSCALL", "unexpected eof", "Broken pipe"].contains { text.contains($0) }
    }

    var failure: HTTPFailure {
        let afterBody = wasSent && bodyWasHandedOver
        if tunnelStatus >= 300 { return .proxy("The proxy answered \(tunnelStatus)") }
        if isBreak { return .broken(text, afterBody: afterBody) }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .unknownHost(text)
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: return .proxy(text)
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: return usedProxy ? .proxy(text) : .cannotConnect(text)
        // Connecting and sending have clocks of their own; there is no other.
        case CURLE_OPERATION_TIMEDOUT: return wasSent ? .stalled(afterBody: afterBody) : .cannotConnect(text)
        case CURLE_SSL_CONNECT_ERROR where isCutHandshake: return .cannotConnect(text)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            return .untrusted(text)
        case CURLE_SSL_CERTPROBLEM:
            return .clientCertificate("Our certificate cannot be used (\(text)): check its file and its key.")
        case submit_curl_ssl_clientcert:
            return .clientCertificate(
                "The server wants a certificate of ours and gets none that it takes (\(text)): "
                    + "check the destination's certificate.")
        case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED, CURLE_BAD_FUNCTION_ARGUMENT: return .badRequest(text)
        // "Unsupported protocol" is also said of an answer that is no HTTP/1 or later.
        case CURLE_UNSUPPORTED_PROTOCOL: return wasSent ? .badAnswer(text) : .badRequest(text)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_FILESIZE_EXCEEDED, CURLE_WRITE_ERROR,
            submit_curl_too_large:
            return .badAnswer(text)
        // How libcurl before 8.6 says that a header is too long.
        case CURLE_OUT_OF_MEMORY where wasSent: return .badAnswer(text)
        default: return .broken(text, afterBody: afterBody)
        }
    }
}

extension TransferEnd {
    /// Asks the handle, which still has the ended transfer on it.
    init(
        code: CURLcode, easy: UnsafeMutableRawPointer, errorText: UnsafePointer<CChar>, bodyWasHandedOver: Bool
    ) {
        let said = String(cString: errorText)
        self.init(
            code: code, text: Self.redacted(said.isEmpty ? String(cString: curl_easy_strerror(code)) : said),
            wasSent: submit_curl_get_long(easy, CURLINFO_REQUEST_SIZE) > 0,
            usedOldConnection: submit_curl_get_long(easy, CURLINFO_NUM_CONNECTS) == 0,
            bodyWasHandedOver: bodyWasHandedOver,
            usedProxy: submit_curl_used_proxy(easy),
            tunnelStatus: submit_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE))
    }

    /// The text without what stands before an `@` and behind a `?`: libcurl may quote a URL that it cannot use.
    static func redacted(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let noQuery = word.prefix { $0 != "?" }
            guard let at = noQuery.lastIndex(of: "@") else { return String(noQuery) }
            let scheme = noQuery.firstRange(of: "://").map { String(noQuery[..<$0.upperBound]) } ?? ""
            return scheme + noQuery[noQuery.index(after: at)...]
        }.joined(separator: " ")
    }
}
