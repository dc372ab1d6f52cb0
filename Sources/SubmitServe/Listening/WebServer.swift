internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOSSL

/// Listens, and hands what comes to the responder, within bounds.
struct WebServer<Responder: HTTPResponder>: Sendable where Responder.Context == WebContext {
    let responder: Responder
    /// By which we may be called.
    let hosts: Set<String>
    let address: String
    let port: Int
    /// `nil`: plain HTTP.
    let security: TLSConfiguration?
    var mostConnections = 64
    /// More connections that are let in while somebody else's is closed for them.
    private static var reserve: Int { 16 }
    var patience = Duration.seconds(30)

    private static var longestHead: Int { 16 << 10 }

    /// Runs until the task is cancelled.
    ///
    /// - Parameter onListening: called once, when it can be reached, with its port.
    func run(onListening: @escaping @Sendable (Int) async -> Void) async throws {
        var logger = Logger(label: "submit.serve") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [RequestDeadline()],
            idleTimeout: .nanoseconds(patience.components.seconds * 1_000_000_000),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: Self.longestHead, maxHeaderListSize: Self.longestHead, maxHeaderFieldCount: 100))
        let (security, hosts) = (security, hosts)
        let bound = AddressBound(most: mostConnections / 2, all: mostConnections)
        let server = HTTPServerBuilder { responder in
            let plain = HTTP1Channel(
                responder: { request, writer, channel in
                    // Whoever asks first whether to send waits for a second otherwise.
                    if request.headers[.expect]?.lowercased() == "100-continue" {
                        try await writer.writeInformationalHead(HTTPResponse(status: .continue))
                    }
                    try await responder(request, writer, channel)
                }, configuration: channel)
            guard let security else { return AddressBound.Channel(base: plain, bound: bound) }
            return try AddressBound.Channel(
                base: SecuredChannel(plain, security, hosts: hosts), bound: bound)
        }
        let application = Application(
            responder: responder, server: server,
            configuration: ApplicationConfiguration(
                address: .hostname(address, port: port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(
                    mostConnections + Self.reserve, logger: logger)),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? port) }, logger: logger)
        try await application.run()
    }
}
