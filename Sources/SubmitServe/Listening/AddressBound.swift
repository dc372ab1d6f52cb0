internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import SubmitConcurrency

/// Whether a connection has a request that isn't answered yet. ``RequestDeadline`` sends it towards the socket.
enum ConnectionUse: Sendable {
    case asking, idle
}

/// Shares the connections among the addresses that call, so that nobody takes all there are.
///
/// If all are taken, a new caller gets one of the address that has the most: an idle one first.
final class AddressBound: Sendable {
    /// Connections of one address that are closed for nobody while a request of theirs is answered. Browsers make six, and one
    /// for events.
    private static let fair = 8

    private struct Connection {
        let channel: any NIOCore.Channel
        let address: String
        let number: Int
        var use = ConnectionUse.idle
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var counts: [String: Int] = [:]
        var number = 0

        mutating func remove(_ id: ObjectIdentifier) {
            guard let address = connections.removeValue(forKey: id)?.address else { return }
            let left = counts[address, default: 1] - 1
            counts[address] = left > 0 ? left : nil
        }

        /// The connection that goes for a new one of an address that would have so many with it.
        func victim(for share: Int) -> ObjectIdentifier? {
            func count(_ connection: Connection) -> Int { counts[connection.address, default: 0] }
            let candidates = connections.filter { _, connection in
                count(connection) >= share && (connection.use == .idle || count(connection) > AddressBound.fair)
            }
            return candidates.max { a, b in
                let (one, other) = (a.value, b.value)
                if count(one) != count(other) { return count(one) < count(other) }
                if one.use != other.use { return one.use == .asking }
                return one.number > other.number
            }?.key
        }
    }

    private let most: Int
    private let all: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - most: of one address at once.
    ///   - all: of all addresses. There may be more while none of them can be closed.
    init(most: Int, all: Int) {
        self.most = most
        self.all = all
    }

    /// - Returns: false if the address has as many as it may.
    fileprivate func enter(_ id: ObjectIdentifier, _ address: String, _ channel: any NIOCore.Channel) -> Bool {
        let (isIn, victim) = state.withLock { state -> (Bool, (any NIOCore.Channel)?) in
            let share = state.counts[address, default: 0] + 1
            guard share <= most else { return (false, nil) }
            var victim: (any NIOCore.Channel)?
            if state.connections.count >= all {
                let id = state.victim(for: share)
                // It has its share already, and the others have no more.
                if id == nil, share > Self.fair { return (false, nil) }
                victim = id.flatMap { state.connections[$0]?.channel }
                id.map { state.remove($0) }
            }
            state.number += 1
            state.connections[id] = Connection(channel: channel, address: address, number: state.number)
            state.counts[address] = share
            return (true, victim)
        }
        // Not in the lock: it may end here and now.
        victim?.close(promise: nil)
        return isIn
    }

    fileprivate func leave(_ id: ObjectIdentifier) { state.withLock { $0.remove(id) } }

    fileprivate func note(_ use: ConnectionUse, _ id: ObjectIdentifier) {
        state.withLock { $0.connections[id]?.use = use }
    }

    /// Stands first on a connection: whose it is, is known once it is there.
    final class Handler: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = ByteBuffer

        private let bound: AddressBound

        init(_ bound: AddressBound) { self.bound = bound }

        func channelActive(context: ChannelHandlerContext) {
            // Those by a socket of the file system have none.
            if let address = context.remoteAddress?.ipAddress,
                !bound.enter(ObjectIdentifier(self), address, context.channel)
            {
                return context.close(promise: nil)
            }
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            bound.leave(ObjectIdentifier(self))
            context.fireChannelInactive()
        }

        func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
            guard let use = event as? ConnectionUse else {
                return context.triggerUserOutboundEvent(event, promise: promise)
            }
            bound.note(use, ObjectIdentifier(self))
            promise?.succeed()
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
