internal import CCurl
internal import FoundationEssentials

/// Where trusted certificates come from.
///
/// libcurl reads the file once in a while where there is no directory, and else for every connection, each of which then
/// keeps all the system's certificates. So the directory is looked into only where the file is not enough.
/// Source: `Curl_ssl_setup_x509_store` in libcurl's lib/vtls/openssl.c, since 7.87.
struct CertificateTrust: Equatable {
    var file: String?
    var directory: String?

    init(file: String?, directory: String? = nil) {
        self.file = file
        self.directory = directory
    }

    /// Looks where `curl` looks.
    init(_ configuration: CurlConfiguration, environment: [String: String] = ProcessInfo.processInfo.environment) {
        func named(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let chosen = configuration.certificateAuthorities ?? named("CURL_CA_BUNDLE") {
            file = chosen
        } else {
            let known = curl_version_info(CURLVERSION_SEVENTH)?.pointee
            file = named("SSL_CERT_FILE") ?? (known?.cainfo).map { String(cString: $0) }
            directory = named("SSL_CERT_DIR") ?? (known?.capath).map { String(cString: $0) }
        }
    }

    /// There is more than the file.
    var isMoreThanFile: Bool { file != nil && directory != nil }
}
