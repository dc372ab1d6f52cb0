internal import CCurl
internal import SubmitHTTP

extension TransferMeasure {
    /// Asks the handle, which still has the ended transfer on it.
    init(_ code: CURLcode, easy: UnsafeMutableRawPointer, _ errorText: UnsafePointer<CChar>) {
        func time(_ info: CURLINFO) -> Duration { .microseconds(submit_curl_get_offset(easy, info)) }
        let said = String(cString: errorText)
        let words = code == CURLE_OK ? "" : said.isEmpty ? String(cString: curl_easy_strerror(code)) : said
        let version =
            switch submit_curl_get_long(easy, CURLINFO_HTTP_VERSION) {
            case Int(CURL_HTTP_VERSION_1_0): "1.0"
            case Int(CURL_HTTP_VERSION_1_1): "1.1"
            case Int(CURL_HTTP_VERSION_2_0): "2"
            case 30: "3"
            default: "none"
            }
        self.init(
            code: Int(code.rawValue), words: TransferEnd.redacted(words),
            address: submit_curl_address(easy).map { String(cString: $0) } ?? "",
            isNewConnection: submit_curl_get_long(easy, CURLINFO_NUM_CONNECTS) > 0, version: version,
            connected: time(CURLINFO_CONNECT_TIME_T), firstByte: time(CURLINFO_STARTTRANSFER_TIME_T),
            total: time(CURLINFO_TOTAL_TIME_T), sent: Int64(submit_curl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T)),
            received: Int64(submit_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T)))
    }
}
