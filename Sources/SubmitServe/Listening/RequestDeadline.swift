internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import NIOTLS

/// Closes connections on which no whole request head comes in time, those that go on sending what was refused already, and those
/// that ask and do not read the answers.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: TimeAmount
    /// For the first request, or for the handshake before it.
    private let greeting: TimeAmount
    private let mostDrained: Int
    private var timer: Scheduled<Void>?
    private var unread: Scheduled<Void>?
    private var underWay = 0
    private var isReading = false
    private var drained = 0

    /// - Parameters:
    ///   - greeting: for a caller who says nothing. On a bad network three tries of a packet take seven seconds.
    ///   - mostDrained: what may still come of a body after its answer. Browsers read an answer only when they have sent
    ///     all, and a chunk of the page is less.
    init(
        greeting: TimeAmount = .seconds(10), patience: TimeAmount = .seconds(30), mostDrained: Int = 16 << 20
    ) {
        self.greeting = greeting
        self.patience = patience
        self.mostDrained = mostDrained
    }

    func handlerAdded(context: ChannelHandlerContext) { timer = closing(context, in: greeting) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { wait(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        unread?.cancel()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        unread?.cancel()
        unread = context.channel.isWritable ? nil : closing(context, in: patience)
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            timer?.cancel()
            timer = nil
            underWay += 1
            isReading = true
            if underWay == 1 { context.triggerUserOutboundEvent(ConnectionUse.asking, promise: nil) }
        case .body(let buffer):
            if underWay == 0 {
                drained += buffer.readableBytes
                if drained > mostDrained { return context.close(promise: nil) }
            }
        case .end:
            isReading = false
            if underWay == 0 { wait(context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            underWay = max(0, underWay - 1)
            drained = 0
            // Also where the rest of a body is to come yet: no byte of that gives it more time.
            if underWay == 0 {
                wait(context)
                context.triggerUserOutboundEvent(ConnectionUse.idle, promise: nil)
            }
        }
        context.write(data, promise: promise)
    }

    private func wait(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = closing(context, in: patience)
    }

    private func closing(_ context: ChannelHandlerContext, in patience: TimeAmount) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: patience) { context.close(promise: nil) }
    }
}
