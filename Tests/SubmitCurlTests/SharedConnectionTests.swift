import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitCurl

/// How many connections are made by TLS, and what they cost.
@Suite
struct SharedConnectionTests {
    private static let nginx = Task { try await NginxServer(isSecure: true) }

    private func transport(_ server: NginxServer, connectTimeout: Int = 15_000) throws
        -> CurlTransport
    {
        try CurlTransport(
            CurlConfiguration(
                userAgent: "submit/test", connectTimeout: connectTimeout, proxy: "",
                certificateAuthorities: server.certificateAuthority))
    }

    /// The connection's number, whether its session was resumed, and the protocol.
    private func connection(_ url: String, _ transport: CurlTransport) async throws -> [String] {
        let answer = try await transport.send(get(url + "/connection"))
        return String(decoding: answer.body, as: UTF8.self).split(separator: " ").map(String.init)
    }

    @Test func `forty photos at once make three connections at most where HTTP 2 is spoken`() async throws {
        let server = try await Self.nginx.value
        let endpoint = try #require(server.secureEndpoint)
        let transport = try transport(server)
        let measures = Locked<[TransferMeasure]>([])
        let photo = MemoryBytes.varied(50_000)
        for _ in 0..<3 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    var request = HTTPRequest(method: "PUT", url: endpoint + "/photo-\(number)", body: .bytes(photo))
                    request.measured = { measure in measures.withLock { $0.append(measure) } }
                    group.addTask { [request] in _ = try await transport.send(request) }
                }
                try await group.waitForAll()
            }
        }
        let all = measures.withLock { $0 }
        #expect(all.count == 120)
        #expect(all.count { $0.isNewConnection } <= 3)
        #expect(all.allSatisfy { $0.version == "2" })
    }

    @Test func `another connection to a server resumes what was agreed on for the first`() async throws {
        let server = try await Self.nginx.value
        let endpoint = try #require(server.secureEndpoint)
        let transport = try transport(server)
        let first = try await connection(endpoint, transport)
        // As many as share a connection, which go on when they are let.
        let slow = (0..<16).map { _ in SlowBytes(300_000, from: 200_000) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, bytes) in slow.enumerated() {
                group.addTask {
                    _ = try await transport.send(
                        HTTPRequest(
                            method: "PUT", url: endpoint + "/slow-\(number)", body: .media(bytes, 0..<bytes.size)))
                }
            }
            for bytes in slow { await bytes.hangs() }
            let second = try await connection(endpoint, transport)
            for bytes in slow { bytes.goOn() }
            #expect(first[0] != second[0])
            #expect(first[1] == ".")
            #expect(second[1] == "r")
            try await group.waitForAll()
        }
    }

    @Test func `a session is not resumed on other terms than it was agreed on`() async throws {
        let server = try await Self.nginx.value
        let endpoint = try #require(server.secureEndpoint)
        let transport = try transport(server)
        _ = try await connection(endpoint, transport)
        var request = HTTPRequest(method: "GET", url: endpoint + "/connection")
        request.certificateAuthority = "/etc/ssl/certs/ca-certificates.crt"
        let failure = await #expect(throws: HTTPFailure.self) { try await transport.send(request) }
        guard case .untrusted? = failure else { return #expect(Bool(false), "\(String(describing: failure))") }
    }

    /// It takes connections, and says nothing on them.
    private static func silent(_ came: Signal) -> LoopbackServer {
        LoopbackServer { connection in
            came.send(connection.number)
            connection.readToEnd()
        }
    }

    @Test func `one that waits for the first connection to a server is cancelled at once`() async throws {
        let came = Signal()
        let server = Self.silent(came)
        let transport = try SubmitCurlTests.transport()
        let url = "https://127.0.0.1:\(server.port)/"
        let first = Task { try await transport.send(get(url)) }
        _ = await came.wait()
        let second = Task { try await transport.send(get(url)) }
        // The loop takes what comes in its order: it has the second one by then.
        let open = LoopbackServer.answering { _ in answer(200) }
        _ = try await transport.send(get(open.url))
        second.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await second.value }
        #expect(server.connections == 1)
        first.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await first.value }
    }

    @Test func `those that waited for the first connection go on when it is not made`() async throws {
        let came = Signal()
        let server = Self.silent(came)
        let transport = try CurlTransport(CurlConfiguration(userAgent: "t", connectTimeout: 300, proxy: ""))
        let url = "https://127.0.0.1:\(server.port)/"
        await withTaskGroup { group in
            for _ in 0..<5 {
                group.addTask {
                    let result = await Task { try await transport.send(get(url)) }.result
                    guard case .failure(HTTPFailure.cannotConnect) = result else {
                        return #expect(Bool(false), "\(result)")
                    }
                }
            }
        }
        #expect(server.connections == 5)
    }

    @Test func `those that waited for the first connection go on when it is cancelled`() async throws {
        let came = Signal()
        let server = Self.silent(came)
        let transport = try SubmitCurlTests.transport()
        let url = "https://127.0.0.1:\(server.port)/"
        let first = Task { try await transport.send(get(url)) }
        #expect(await came.wait() == 1)
        let second = Task { try await transport.send(get(url)) }
        first.cancel()
        #expect(await came.wait() == 2)
        second.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await second.value }
    }
}

@Suite
struct ScoutsTests {
    private func transfer(_ url: String, isFirst: Bool = false, certificate: String? = nil) -> Transfer {
        var request = get(url)
        request.clientCertificate = certificate.map { ClientCertificate(certificate: $0, key: "k", passphrase: nil) }
        return Transfer(request, isFirst: isFirst, trustsDirectory: false)
    }

    @Test func `the first to a server goes alone until its connection is there`() {
        let scouts = Scouts(streams: 16)
        let first = transfer("https://a.example/1")
        let others = (2..<5).map { transfer("https://a.example/\($0)") }
        #expect(scouts.mayGo(first))
        for other in others { #expect(!scouts.mayGo(other)) }
        #expect(scouts.takeReleased().isEmpty)
        #expect(first.mayStart())
        #expect(scouts.takeReleased().map { $0.request.url } == others.map { $0.request.url })
        #expect(scouts.takeReleased().isEmpty)
        #expect(scouts.mayGo(transfer("https://a.example/5")))
    }

    @Test func `each connection makes room for so many, and the next one goes ahead again`() {
        let scouts = Scouts(streams: 16)
        let all = (0..<40).map { transfer("https://a.example/\($0)") }
        #expect(all.count { scouts.mayGo($0) } == 1)
        var gone = [all[0]]
        for count in [17, 33, 40] {
            #expect(scouts.takeReleased().isEmpty)
            for transfer in gone { #expect(transfer.mayStart()) }
            gone += scouts.takeReleased()
            #expect(gone.count == count)
        }
        // One that ended leaves its room.
        #expect(gone[0].mayStart())
        scouts.ended(gone[0])
        #expect(scouts.mayGo(transfer("https://a.example/40")))
    }

    @Test func `while one that was let go makes the connection, the scout on the place it left lets nobody go`() {
        let scouts = Scouts(streams: 16)
        let all = (0..<40).map { transfer("https://a.example/\($0)") }
        #expect(all.count { scouts.mayGo($0) } == 1)
        #expect(all[0].mayStart())
        let gone = scouts.takeReleased()
        #expect(gone.count == 16)
        for transfer in gone.dropFirst() { #expect(transfer.mayStart()) }
        #expect(scouts.takeReleased().isEmpty)
        // Nor where it has ended already.
        scouts.ended(gone[15])
        #expect(scouts.takeReleased().isEmpty)
        #expect(gone[0].mayStart())
        #expect(scouts.takeReleased().count == 17)
    }

    @Test func `what needs no connection of the same kind is held up by nobody`() {
        let scouts = Scouts(streams: 16)
        #expect(scouts.mayGo(transfer("https://a.example/")))
        for url in ["http://a.example/", "https://b.example/", "https://a.example:444/"] {
            #expect(scouts.mayGo(transfer(url)))
        }
        #expect(scouts.mayGo(transfer("https://a.example/", certificate: "ann.pem")))
        #expect(scouts.mayGo(transfer("https://a.example/", isFirst: true)))
        #expect(!scouts.mayGo(transfer("https://a.example?x=1")))
    }

    @Test func `where the first ends without a connection all others go`() {
        let scouts = Scouts(streams: 16)
        let first = transfer("https://a.example/1")
        let others = (2..<4).map { transfer("https://a.example/\($0)") }
        for transfer in [first] + others { _ = scouts.mayGo(transfer) }
        scouts.ended(first)
        #expect(scouts.takeReleased().count == 2)
    }

    @Test func `where nothing is under way any more the next one goes alone again`() {
        let scouts = Scouts(streams: 16)
        let (first, second) = (transfer("https://a.example/1"), transfer("https://a.example/2"))
        #expect(scouts.mayGo(first) && first.mayStart())
        #expect(scouts.takeReleased().isEmpty)
        #expect(scouts.mayGo(second))
        scouts.ended(first)
        scouts.ended(second)
        #expect(scouts.mayGo(transfer("https://a.example/3")))
        #expect(!scouts.mayGo(transfer("https://a.example/4")))
    }

    @Test func `one that is taken out is not let go later`() {
        let scouts = Scouts(streams: 16)
        let (first, second) = (transfer("https://a.example/1"), transfer("https://a.example/2"))
        _ = (scouts.mayGo(first), scouts.mayGo(second))
        #expect(scouts.remove(second))
        #expect(!scouts.remove(second) && !scouts.remove(first))
        scouts.ended(first)
        #expect(scouts.takeReleased().isEmpty)
    }
}
