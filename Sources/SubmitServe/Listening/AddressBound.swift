internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import SubmitConcurrency

/// How many connections each address has, so that nobody takes all there are.
final class AddressBound: Sendable {
    private let most: Int
    private let open = Locked<[String: Int]>([:])

    /// - Parameter most: of one address at once. Browsers make six, and one for what is told them.
    init(most: Int) { self.most = most }

    /// - Returns: false where the address has as many as it may.
    fileprivate func enter(_ address: String) -> Bool {
        open.withLock { open in
            guard open[address, default: 0] < most else { return false }
            open[address, default: 0] += 1
            return true
        }
    }

    fileprivate func leave(_ address: String) {
        open.withLock { open in
            let left = open[address, default: 1] - 1
            open[address] = left > 0 ? left : nil
        }
    }

    /// Stands first on a connection: whose it is, is known once it is there.
    final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let bound: AddressBound
        private var address: String?

        init(_ bound: AddressBound) { self.bound = bound }

        func channelActive(context: ChannelHandlerContext) {
            // Those by a socket of the file system have none.
            if let address = context.remoteAddress?.ipAddress {
                guard bound.enter(address) else { return context.close(promise: nil) }
                self.address = address
            }
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            if let address { bound.leave(address) }
            address = nil
            context.fireChannelInactive()
        }
    }

    /// A connection that is counted.
    struct Channel<Base: ServerChildChannel>: ServerChildChannel {
        typealias Value = Base.Value

        let base: Base
        let bound: AddressBound

        func setup(channel: any NIOCore.Channel, logger: Logger) -> EventLoopFuture<Value> {
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Handler(bound))
            }.flatMap {
                base.setup(channel: channel, logger: logger)
            }
        }

        func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
    }
}
