internal import Foundation
internal import Submit

/// How a ``CurlTransport`` connects.
public struct CurlConfiguration: Sendable {
    /// The `User-Agent` of requests that name none.
    public var userAgent: String
    /// How many connections are kept open for later requests, at least 1; a quarter of the files that the process may
    /// have open, if not given. It limits no one: every request given is under way at once. With fewer than that,
    /// connections are made anew again and again.
    public var width: Int
    /// The longest that resolving, connecting and the TLS handshake may take together, in milliseconds. Requests to a
    /// server by TLS wait for the first one's connection besides, once.
    public var connectTimeout: Int
    /// The longest that nothing at all may move, in seconds. A whole transfer may take as long as it likes. Once an item's
    /// bytes are sent, the answer may take longer: ``answerTimeout(after:stallTimeout:)``.
    public var stallTimeout: Int
    /// The proxy's URL, with its credentials if it needs any; `nil` for what `http_proxy`, `https_proxy`, `all_proxy`
    /// say. `no_proxy` holds for both.
    public var proxy: String?
    /// A file of trusted certificates in PEM form, instead of the system's; `nil` for what `CURL_CA_BUNDLE`,
    /// `SSL_CERT_FILE` or `SSL_CERT_DIR` name, and else the system's.
    public var certificateAuthorities: String?

    /// What is not given is as usual: 15 s to connect, 60 s in which nothing moves, the environment's proxy and the
    /// system's trusted certificates.
    public init(
        userAgent: String, width: Int? = nil, connectTimeout: Int = 15_000, stallTimeout: Int = 60,
        proxy: String? = nil, certificateAuthorities: String? = nil
    ) {
        ProxyPassword.makeKnown(of: proxy)
        self.userAgent = userAgent
        self.width = width ?? Self.quarterOfFiles
        self.connectTimeout = connectTimeout
        self.stallTimeout = stallTimeout
        self.proxy = proxy
        self.certificateAuthorities = certificateAuthorities
    }

    /// How long a server may work on bytes that it has received before it answers, in seconds.
    ///
    /// It may scan them, assemble them or move them to a store of its own. It gets five times the stall timeout and 1 s for
    /// each 4 MiB: with 60 s, that is 5 minutes for a photo and 9 minutes for 1 GiB. Nextcloud's own client adds 3 minutes for
    /// each gigabyte.
    ///
    /// - Parameters:
    ///   - bytes: what it has received.
    ///   - stallTimeout: seconds in which nothing may move while bytes are sent.
    public static func answerTimeout(after bytes: Int64, stallTimeout: Int) -> Int {
        5 * stallTimeout + Int(clamping: max(0, bytes) >> 22)
    }

    private static var quarterOfFiles: Int {
        Int(min((OpenFiles.limit ?? 64) / 4, 1 << 20))
    }
}

extension CurlConfiguration: CustomReflectable {
    /// Without the proxy, whose URL may have a password in it.
    public var customMirror: Mirror { Mirror(self, children: ["userAgent": userAgent, "width": width]) }
}
