internal import CCurl
internal import SubmitHTTP

extension Transfer {
    /// Sets every option of this request on a handle that is as good as new.
    ///
    /// Source: https://curl.se/libcurl/c/curl_easy_setopt.html.
    func configure(_ easy: UnsafeMutableRawPointer, _ configuration: CurlConfiguration, _ trust: CertificateTrust)
        -> CURLcode
    {
        var result = CURLE_OK
        func note(_ code: CURLcode) { if result == CURLE_OK { result = code } }
        func set(_ option: CURLoption, _ value: Int) { note(submit_curl_set_long(easy, option, value)) }
        func set(_ option: CURLoption, _ value: String) { note(submit_curl_set_string(easy, option, value)) }

        note(submit_curl_set_context(easy, Unmanaged.passUnretained(self).toOpaque()))
        note(submit_curl_set_callbacks(easy, Self.callbacks, request.isRepeatable))
        note(submit_curl_set_error_buffer(easy, errorText))
        set(CURLOPT_NOSIGNAL, 1)
        note(submit_curl_leave_names_behind(easy))

        // What is sent.
        note(submit_curl_limit_protocols(easy))
        set(CURLOPT_URL, request.url)
        set(CURLOPT_PATH_AS_IS, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_USERAGENT, configuration.userAgent)
        headerList = request.makeHeaderList(asksFirst: asksFirst)
        note(submit_curl_set_list(easy, CURLOPT_HTTPHEADER, headerList))
        if let length = request.lengthToSend {
            set(CURLOPT_UPLOAD, 1)
            set(CURLOPT_CUSTOMREQUEST, request.method)
            set(CURLOPT_UPLOAD_BUFFERSIZE, Int(min(max(length, Self.leastUploadBuffer), Self.uploadBuffer)))
            note(submit_curl_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(length)))
        } else if request.method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else {
            set(CURLOPT_HTTPGET, 1)
            set(CURLOPT_CUSTOMREQUEST, request.method)
        }

        // How it connects.
        set(CURLOPT_HTTP_VERSION, isPlain ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
        if isPlain || isFirst { set(CURLOPT_FRESH_CONNECT, 1) }
        if isPlain || isLast { set(CURLOPT_FORBID_REUSE, 1) }
        set(CURLOPT_TCP_NODELAY, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout)
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        let stallTimeout = request.stallTimeout ?? configuration.stallTimeout
        self.stallTimeout = stallTimeout
        answerTimeout = request.workload.map { CurlConfiguration.answerTimeout(after: $0, stallTimeout: stallTimeout) }
        // Without a body, all that there is to wait for is the answer.
        set(CURLOPT_LOW_SPEED_TIME, (request.body.length ?? 0) > 0 ? stallTimeout : answerTimeout ?? stallTimeout)
        if asksFirst { set(CURLOPT_EXPECT_100_TIMEOUT_MS, Self.consentTimeout) }
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        if let proxy = configuration.proxy { set(CURLOPT_PROXY, proxy) }
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        let trust = request.certificateAuthority.map { CertificateTrust(file: $0) } ?? trust
        if let file = trust.file { set(CURLOPT_CAINFO, file) }
        let directory = trust.file == nil || trustsDirectory ? trust.directory : nil
        let known = submit_curl_set_string(easy, CURLOPT_CAPATH, directory)
        // Without any, it does not matter that this libcurl knows no directories.
        if directory != nil || known != CURLE_NOT_BUILT_IN { note(known) }
        submit_curl_keep_authorities(easy, Self.authoritiesAge)
        // libcurl uses a connection again only for requests with the same path of a certificate.
        if let certificate = request.clientCertificate {
            set(CURLOPT_SSLCERT, certificate.certificate)
            set(CURLOPT_SSLKEY, certificate.key)
            // Without any, OpenSSL would ask for it on the terminal.
            certificate.withPassphrase { set(CURLOPT_KEYPASSWD, $0 ?? "") }
        }
        return result
    }

    /// Changes the time in which nothing may move while a transfer runs: libcurl reads it at each check.
    static func setStallTimeout(_ seconds: Int, of easy: UnsafeMutableRawPointer) {
        _ = submit_curl_set_long(easy, CURLOPT_LOW_SPEED_TIME, seconds)
    }

    /// Milliseconds in which a server that was asked whether the body may come says so. Afterwards it is sent.
    private static let consentTimeout = 5000
    /// Seconds after which the file of trusted certificates is read again.
    private static let authoritiesAge = 600
    /// The most of a body that is read and written at a time; a smaller one is whole. Each upload under way holds as much:
    /// 4 MiB for 16 large ones. More saves nothing that can be measured.
    static let uploadBuffer: Int64 = 256 << 10
    /// libcurl knows no smaller one.
    private static let leastUploadBuffer: Int64 = 16 << 10

    /// libcurl's calls, led to the transfer that is their context.
    private static let callbacks = submit_curl_callbacks(
        read: { buffer, size, count, context in
            let place = UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
            return Transfer.at(context).read(into: place) ?? Int(CURL_READFUNC_ABORT)
        },
        seek: { context, offset, origin in
            let moved = origin == SEEK_SET && Transfer.at(context).seek(to: Int64(offset))
            return moved ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        },
        write: { bytes, size, count, context in
            let taken = Transfer.at(context).take(body: .init(start: bytes, count: size * count))
            return taken ? size * count : 0
        },
        header: { line, size, count, context in
            let taken = Transfer.at(context).take(headerLine: .init(start: line, count: size * count))
            return taken ? size * count : 0
        },
        start: { context, _, _, _, _ in Transfer.at(context).mayStart() ? 0 : 1 })

    private static func at(_ context: UnsafeMutableRawPointer?) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
    }
}
