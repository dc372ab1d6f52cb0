internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOSSL

/// A connection by TLS, before which plain requests are caught.
struct SecuredChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    private let secured: TLSChannel<Base>
    private let hosts: Set<String>

    init(_ base: Base, _ configuration: TLSConfiguration, hosts: Set<String>) throws {
        secured = try TLSChannel(base, tlsConfiguration: configuration)
        self.hosts = hosts
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(PlainRequestCatcher(hosts: hosts))
        }.flatMap {
            secured.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Value, logger: Logger) async { await secured.handle(value: value, logger: logger) }
}
