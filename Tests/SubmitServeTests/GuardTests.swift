import Foundation
import Submit
import SubmitReceiving
import SubmitStore
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOTLS
import SubmitConfiguration
import SystemPackage
import TestServers
import Testing

@testable import SubmitServe

@Suite struct `The connections of an address` {
    private func channel(_ bound: AddressBound, _ address: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: AddressBound.Handler(bound))
        // It has no other way to be there.
        try channel.connect(to: try SocketAddress(ipAddress: address, port: 5000)).wait()
        return channel
    }

    @Test func `are so many at once, others have theirs, and one that ends makes room`() throws {
        let bound = AddressBound(most: 2, all: 100)
        let (first, second, third) = (
            try channel(bound, "10.0.0.2"), try channel(bound, "10.0.0.2"), try channel(bound, "10.0.0.2")
        )
        #expect(first.isActive && second.isActive && !third.isActive)
        #expect(try channel(bound, "10.0.0.3").isActive)
        try first.close().wait()
        #expect(try channel(bound, "10.0.0.2").isActive)
        #expect(try !channel(bound, "10.0.0.2").isActive)
    }
}

@Suite struct `Connections that are all taken` {
    private let bound = AddressBound(most: 32, all: 64)

    private func channel(_ address: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: AddressBound.Handler(bound))
        try channel.connect(to: try SocketAddress(ipAddress: address, port: 5000)).wait()
        return channel
    }

    private func isActive(_ channels: [EmbeddedChannel]) -> Int { channels.count { $0.isActive } }

    private func use(_ channel: EmbeddedChannel, _ use: ConnectionUse) throws {
        try channel.triggerUserOutboundEvent(use).wait()
    }

    @Test func `let a phone in while two addresses hold them in silence`() throws {
        let silent = try (0..<64).map { try channel("10.0.0.\($0 % 2 + 2)") }
        let phone = try (0..<7).map { _ in try channel("10.0.0.9") }
        #expect(isActive(phone) == 7)
        #expect(isActive(silent) == 57)
        // Those that hold so many get no more, and take none of the phone's.
        for _ in 0..<100 { _ = try channel("10.0.0.2") }
        #expect(isActive(phone) == 7)
    }

    @Test func `are kept while a request is answered, up to eight of an address`() throws {
        let many = try (0..<32).map { _ in try channel("10.0.0.2") }
        let few = try (0..<32).map { try channel("10.0.1.\($0 / 8)") }
        for channel in many + few { try use(channel, .asking) }
        #expect(try channel("10.0.0.9").isActive)
        #expect(isActive(many) == 31 && isActive(few) == 32)
        try use(few[0], .idle)
        for channel in many.dropFirst(7) { try? channel.close().wait() }
        let others = try (0..<32).map { number in
            let channel = try channel("10.0.2.\(number / 4)")
            try use(channel, .asking)
            return channel
        }
        #expect(isActive(others) == 32 && !few[0].isActive)
        #expect(isActive(few) == 31 && isActive(many) == 6)
    }
}

@Suite struct `A caller who says nothing` {
    @Test func `is cut off within seconds, and one who shook hands has longer`() throws {
        for (hasShakenHands, seconds) in [(false, Int64(10)), (true, 30)] {
            let loop = EmbeddedEventLoop()
            let channel = EmbeddedChannel(handler: RequestDeadline(), loop: loop)
            try channel.connect(to: try SocketAddress(ipAddress: "10.0.0.2", port: 5000)).wait()
            if hasShakenHands {
                channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
            }
            loop.advanceTime(by: .seconds(seconds - 1))
            #expect(channel.isActive)
            loop.advanceTime(by: .seconds(1))
            #expect(!channel.isActive)
        }
    }
}

@Suite struct `A key that is given` {
    @Test func `is refused if others can read it`() throws {
        let folder = TemporaryFolder()
        _ = try OwnCertificate.find(in: FilePath(folder.path), covering: ["127.0.0.1"])
        var order = ReceiveOrder(destinations: ["a"], version: "1")
        order.address = "127.0.0.1"
        (order.certificate, order.key) = (folder.path("certificate.pem"), folder.path("key.pem"))
        let places = AppPaths(environment: ["HOME": folder.path("home")])
        #expect(try ListeningPlan(order, places).isSecure)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: folder.path("key.pem"))
        let failure = #expect(throws: SubmitFailure.self) { try ListeningPlan(order, places) }
        #expect(failure?.message.contains("others can read it") == true)
    }
}

@Suite struct `Plain HTTP` {
    private let machine = ["127.0.0.1", "192.168.1.5", "93.184.216.34", "fd00::5"]

    private func addresses(_ address: String?, everywhere: Bool = false, machine: [String]) throws -> [String] {
        var order = ReceiveOrder(destinations: ["a"], version: "1")
        (order.address, order.listensEverywhere, order.allowsPlainHTTP) = (address, everywhere, true)
        let (bound, reached) = try ListeningPlan.addresses(order, machine, outgoing: "192.168.1.5")
        return [bound] + reached
    }

    @Test(arguments: ["0.0.0.0", "::", "::ffff:0.0.0.0", "93.184.216.34", "::ffff:93.184.216.34", "2001:db8::1"])
    func `is refused wherever the internet reaches it`(address: String) throws {
        let failure = #expect(throws: SubmitFailure.self) { try addresses(address, machine: machine) }
        #expect(failure?.message.contains("from the whole internet") == true)
        #expect(throws: SubmitFailure.self) { try addresses(nil, everywhere: true, machine: machine) }
    }

    @Test func `is there at the addresses of one's own network`() throws {
        let own = machine.filter { $0 != "93.184.216.34" }
        #expect(try addresses("0.0.0.0", machine: own) == ["0.0.0.0", "192.168.1.5"])
        #expect(try addresses("::", machine: own) == ["::", "192.168.1.5", "fd00::5"])
        #expect(try addresses(nil, machine: machine) == ["192.168.1.5", "192.168.1.5"])
        #expect(try addresses("::ffff:192.168.1.5", machine: machine).count == 2)
    }
}

@Suite struct `What every request has to be like` {
    private let requestGuard = RequestGuard(names: ["192.168.1.5", "box.local", "fd00::5"], port: 8443, isSecure: true)

    private func status(
        _ host: String?, _ method: HTTPRequest.Method = .get, _ path: String = "/status", _ fields: HTTPFields = [:]
    ) -> Int? {
        requestGuard.refusal(
            HTTPRequest(method: method, scheme: nil, authority: host, path: path, headerFields: fields)
        ).map { Int($0.status.code) }
    }

    @Test func `is one of our names`() {
        #expect(status("192.168.1.5:8443") == nil)
        #expect(status("BOX.local:8443") == nil)
        #expect(status("[fd00::5]:8443") == nil)
        for host in [nil, "", "192.168.1.5", "192.168.1.5:80", "evil.example:8443", "box.local:8443.evil.example"] {
            #expect(status(host) == 421, "\(host ?? "none")")
        }
        let usual = RequestGuard(names: ["box.local"], port: 443, isSecure: true)
        #expect(usual.hosts == ["box.local", "box.local:443"])
    }

    @Test(arguments: ["/r/x%23secret", "/r/x#secret", "/%2523", "/status?a=%23b"])
    func `holds no secret in its address`(_ path: String) {
        #expect(status("box.local:8443", .get, path) == (path == "/%2523" ? nil : 400))
    }

    @Test func `comes from a page of ours where a browser says from where`() {
        let site = HTTPField.Name("Sec-Fetch-Site")!
        for method in [HTTPRequest.Method.post, .put, .patch, .delete] {
            #expect(status("box.local:8443", method) == nil)
            #expect(status("box.local:8443", method, "/x", [site: "same-origin"]) == nil)
            #expect(status("box.local:8443", method, "/x", [site: "none"]) == nil)
            #expect(status("box.local:8443", method, "/x", [site: "same-site"]) == 403)
            #expect(
                status("box.local:8443", method, "/x", [site: "cross-site", .origin: "https://box.local:8443"]) == 403)
            #expect(status("box.local:8443", method, "/x", [.origin: "https://box.local:8443"]) == nil)
            #expect(status("box.local:8443", method, "/x", [.origin: "http://box.local:8443"]) == 403)
            #expect(status("box.local:8443", method, "/x", [.origin: "null"]) == 403)
        }
        #expect(status("box.local:8443", .get, "/x", [site: "cross-site"]) == nil)
    }

    @Test func `shows its token in a cookie or as a bearer`() {
        let secure = SessionToken(isSecure: true)
        #expect(secure.find(in: [.cookie: "a=b; __Host-submit=tok; c=d"]) == "tok")
        #expect(secure.find(in: [.cookie: "submit=tok"]) == nil)
        #expect(secure.find(in: [.authorization: "Bearer tok"]) == "tok")
        #expect(secure.find(in: [.authorization: "Basic tok", .cookie: "__Host-submit=tok"]) == nil)
        let set = secure.setting("tok", seconds: 60)
        #expect(set == "__Host-submit=tok; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure")
    }

    @Test func `leaves no trace of what it brought but its method`() {
        let line = AccessLine(method: "GE\u{1b}T", route: nil, status: 400, address: "10.0.0.1", time: .milliseconds(5))
        #expect("\(line)" == "10.0.0.1 ? - 400 5 ms")
    }
}

@Suite struct `A plain request at the port of TLS` {
    private let hosts: Set<String> = ["box.local:8443"]

    @Test func `is led to the same page`() {
        let answer = PlainRequestCatcher.answer(to: "GET /r/abc123 HTTP/1.1\r\nHost: box.local:8443\r\n\r\n", hosts)
        #expect(answer.contains("Location: https://box.local:8443/r/abc123\r\n"))
    }

    @Test(arguments: [
        "GET //evil.example HTTP/1.1\r\nHost: box.local:8443\r\n\r\n",
        "GET /r/x%23secret HTTP/1.1\r\nHost: box.local:8443\r\n\r\n",
    ]) func `is led nowhere else`(_ request: String) {
        #expect(PlainRequestCatcher.answer(to: request, hosts).contains("Location: https://box.local:8443/\r\n"))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "POST / HTTP/1.1\r\nHost: box.local:8443\r\n\r\n", "\r\n\r\n",
        "garbage",
    ]) func `is refused otherwise`(_ request: String) {
        #expect(PlainRequestCatcher.answer(to: request, hosts).hasPrefix("HTTP/1.1 400 "))
    }
}
