internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import SubmitConcurrency
internal import SubmitPlatform

/// A connection of an address that has not too many already: nobody takes all there are. What comes from this machine itself is
/// not counted, as somebody may stand before us there.
struct AddressBoundChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    private let base: Base
    private let most: Int
    private let open = Locked<[String: Int]>([:])

    private struct TooMany: Error {}

    /// - Parameter most: of one address at once. Browsers make six, and one for what is told them.
    init(_ base: Base, most: Int) {
        self.base = base
        self.most = most
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let address = channel.remoteAddress?.ipAddress, !MachineAddresses.isLoopback(address) else {
            return base.setup(channel: channel, logger: logger)
        }
        let isOneMore = open.withLock { open in
            guard open[address, default: 0] < most else { return false }
            open[address, default: 0] += 1
            return true
        }
        guard isOneMore else { return channel.eventLoop.makeFailedFuture(TooMany()) }
        channel.closeFuture.whenComplete { [open] _ in
            open.withLock { open in
                let left = open[address, default: 1] - 1
                open[address] = left > 0 ? left : nil
            }
        }
        return base.setup(channel: channel, logger: logger)
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
