internal import NIOCore

/// Stands before TLS: who speaks plain HTTP to its port is told where to go, instead of hearing noise.
final class PlainRequestCatcher: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let hosts: Set<String>
    private var request: [UInt8] = []
    private var isAnswered = false

    private static let longest = 8 << 10
    /// The first byte of a TLS connection: a record of a handshake.
    private static let handshake: UInt8 = 0x16

    init(hosts: Set<String>) { self.hosts = hosts }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        if request.isEmpty, let first = buffer.readableBytesView.first, first == Self.handshake {
            context.fireChannelRead(data)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            return
        }
        guard !isAnswered else { return }
        request += buffer.readableBytesView
        let text = String(decoding: request, as: UTF8.self)
        guard text.contains("\r\n\r\n") || request.count > Self.longest else { return }
        isAnswered = true
        let answer = ByteBuffer(string: Self.answer(to: text, hosts))
        context.writeAndFlush(wrapOutboundOut(answer)).assumeIsolated().whenComplete { _ in context.close(promise: nil)
        }
    }

    /// - Returns: a redirection to the same page by TLS, if it was asked for by a name of ours.
    static func answer(to request: String, _ hosts: Set<String>) -> String {
        let lines = request.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = (lines.first ?? "").split(separator: " ")
        let host = lines.dropFirst().first { $0.lowercased().hasPrefix("host:") }?.dropFirst(5).trimmed.lowercased()
        guard words.count == 3, words[0] == "GET", let host, hosts.contains(host) else {
            return refusal("400 Bad Request", "This port speaks https.")
        }
        let isPlain = words[1].utf8.allSatisfy { byte in
            byte == UInt8(ascii: "/") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        let path = isPlain && words[1].hasPrefix("/") && !words[1].hasPrefix("//") ? String(words[1]) : "/"
        return "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://\(host)\(path)\r\nContent-Length: 0\r\n"
            + "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    }

    private static func refusal(_ status: String, _ text: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: text/plain\r\nContent-Length: \(text.utf8.count + 1)\r\n"
            + "Connection: close\r\n\r\n\(text)\n"
    }
}
