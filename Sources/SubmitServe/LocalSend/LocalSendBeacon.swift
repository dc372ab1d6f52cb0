internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import SubmitPlatform

/// Lets LocalSend's apps find this: says on the network that it is there, and answers those that ask who is.
///
/// Source: LocalSend's protocol 2.1, 3.1 "Multicast".
struct LocalSendBeacon: Sendable {
    let device: LocalSendMessages.Device
    /// Of this machine, by which it can be reached.
    let address: String

    private static let group = "224.0.0.167"
    /// As their apps do: the first ones may be lost.
    private static let announcements: [Duration] = [.milliseconds(100), .milliseconds(400), .milliseconds(1500)]
    /// However many ask, one answer is for all of them.
    private static let pause = Duration.seconds(1)
    private static let longest = 4 << 10

    private typealias Datagram = AddressedEnvelope<ByteBuffer>
    private typealias Datagrams = NIOAsyncChannel<Datagram, Datagram>

    /// Runs until the task is cancelled.
    ///
    /// - Throws: where the network or the port lets nobody be found.
    func run() async throws {
        let group = try SocketAddress(ipAddress: Self.group, port: LocalSendResponder.port)
        let interface = try System.enumerateDevices().first { $0.address?.ipAddress == address }
        let (channel, datagrams) = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.socketOption(.so_reuseaddr), value: 1)
            .bind(host: "0.0.0.0", port: LocalSendResponder.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    (channel, try Datagrams(wrappingChannelSynchronously: channel))
                }
            }
        try await datagrams.executeThenClose { inbound, outbound in
            if let multicast = channel as? any MulticastChannel {
                try await multicast.joinGroup(group, device: interface).get()
            }
            if let own = MachineAddresses.number(of: address), let options = channel as? any SocketOptionProvider {
                try await options.setIPMulticastIF(own).get()
            }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    for pause in Self.announcements {
                        try await Task.sleep(for: pause)
                        try await outbound.write(Datagram(remoteAddress: group, data: message(asks: true)))
                    }
                }
                tasks.addTask {
                    var last = ContinuousClock.now - Self.pause
                    for try await datagram in inbound {
                        guard isQuestion(datagram.data), ContinuousClock.now - last >= Self.pause else { continue }
                        last = .now
                        try await outbound.write(Datagram(remoteAddress: group, data: message(asks: false)))
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }

    private func message(asks: Bool) -> ByteBuffer {
        ByteBuffer(bytes: JSONAnswer.bytes(LocalSendMessages.Announcement(device: device, announce: asks)))
    }

    /// Whether another device asks who is there.
    func isQuestion(_ message: ByteBuffer) -> Bool {
        guard message.readableBytes <= Self.longest,
            let heard = try? JSONDecoder().decode(
                LocalSendMessages.Announcement.self, from: Data(message.readableBytesView))
        else { return false }
        return heard.announce && heard.device.fingerprint != device.fingerprint
    }
}
