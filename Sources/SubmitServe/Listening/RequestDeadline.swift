internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Closes connections on which no whole request head comes in time, those that go on sending what was refused already, and those
/// that ask and do not read the answers.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let patience: TimeAmount
    private let mostDrained: Int
    private var timer: Scheduled<Void>?
    private var unread: Scheduled<Void>?
    private var underWay = 0
    private var isReading = false
    private var drained = 0

    /// - Parameter mostDrained: what may still come of a body after its answer. Browsers read an answer only when they have sent
    ///   all, and a chunk of the page is less.
    init(patience: TimeAmount = .seconds(30), mostDrained: Int = 16 << 20) {
        self.patience = patience
        self.mostDrained = mostDrained
    }

    func handlerAdded(context: ChannelHandlerContext) { wait(context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        unread?.cancel()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        unread?.cancel()
        unread = context.channel.isWritable ? nil : closing(context)
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            timer?.cancel()
            timer = nil
            underWay += 1
            isReading = true
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
            if underWay == 0 { wait(context) }
        }
        context.write(data, promise: promise)
    }

    private func wait(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = closing(context)
    }

    private func closing(_ context: ChannelHandlerContext) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: patience) { context.close(promise: nil) }
    }
}
