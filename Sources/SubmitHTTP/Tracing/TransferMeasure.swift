/// What a transport measured of one exchange with a server.
package struct TransferMeasure: Sendable {
    /// libcurl's code, and its words where it failed; 0 is success.
    package var code: Int
    package var words: String
    /// The server's address, where there was one.
    package var address: String
    package var isNewConnection: Bool
    /// `1.1` or `2`.
    package var version: String
    /// Since the request was handed over.
    package var connected: Duration
    package var firstByte: Duration
    package var total: Duration
    package var sent: Int64
    package var received: Int64

    package init(
        code: Int, words: String, address: String, isNewConnection: Bool, version: String, connected: Duration,
        firstByte: Duration, total: Duration, sent: Int64, received: Int64
    ) {
        self.code = code
        self.words = words
        self.address = address
        self.isNewConnection = isNewConnection
        self.version = version
        self.connected = connected
        self.firstByte = firstByte
        self.total = total
        self.sent = sent
        self.received = received
    }
}
