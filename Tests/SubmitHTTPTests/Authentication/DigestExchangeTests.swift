import Submit
import SubmitConcurrency
import SubmitHTTP
import TestServers
import Testing

struct DigestExchangeTests {
    @Test(arguments: [
        "qop=\"auth\", algorithm=SHA-256", "qop=\"auth,auth-int\"", "algorithm=MD5", "qop=auth, algorithm=\"MD5-sess\"",
        "qop=\"auth\", algorithm=SHA-256-sess", "algorithm=MD5-sess", "charset=UTF-8, qop=\"auth\"",
    ])
    func `one challenge serves many requests`(more: String) async throws {
        let server = DigestServer(.init(more: more))
        let transport = authenticating(server)
        for url in ["https://h/a?b=c", "https://h", "https://h/%20'()", "https://h/a"] {
            #expect(try await transport.send(get(url)).status == 201)
        }
        #expect(server.seen.count == 5 && server.complaints.isEmpty)
        if more.contains("qop") {
            #expect(server.seen.dropFirst().map(\.count) == [1, 2, 3, 4])
            let cnonces = Set(server.seen.compactMap { $0.parameters["cnonce"] })
            #expect(cnonces.count == (more.contains("-sess") ? 1 : 4))
        }
    }

    @Test func `fifty at once use each count once, after one probe`() async throws {
        let server = DigestServer()
        let transport = authenticating(server)
        await withTaskGroup(of: Int?.self) { group in
            for number in 0..<50 { group.addTask { try? await transport.send(put("https://h/\(number)")).status } }
            for await status in group { #expect(status == 201) }
        }
        #expect(server.seen.prefix(2).map(\.method) == ["OPTIONS", "OPTIONS"])
        let uploads = server.seen.dropFirst(2)
        #expect(uploads.count == 50 && uploads.allSatisfy { $0.method == "PUT" && $0.scheme == "digest" })
        #expect(server.seen.compactMap(\.count).sorted() == Array(1...51) && server.complaints.isEmpty)
    }

    @Test func `a stale nonce is replaced without a word`() async throws {
        let server = DigestServer(.init(uses: 2))
        let transport = authenticating(server)
        for _ in 0..<5 { #expect(try await transport.send(get()).status == 201) }
        // Two of five found their nonce used up.
        #expect(server.seen.count == 1 + 5 + 2 && server.complaints.isEmpty)
    }

    @Test func `a nonce that is gone does not cost the password`() async throws {
        let server = DigestServer()
        let transport = authenticating(server)
        _ = try await transport.send(get())
        server.expire()
        #expect(try await transport.send(put()).status == 201)
        #expect(server.seen.map(\.method) == ["GET", "GET", "PUT", "PUT"])
    }

    @Test func `a server that is never content is left after the second answer`() async throws {
        let server = DigestServer(.init(isNeverContent: true))
        let transport = authenticating(server)
        #expect(try await transport.send(get()).status == 401)
        #expect(server.seen.map(\.scheme) == ["", "digest", "digest"])
    }

    @Test func `the nonce that the server names is used next`() async throws {
        let server = DigestServer(.init(uses: 1, namesNext: true))
        let transport = authenticating(server)
        for _ in 0..<4 { #expect(try await transport.send(get()).status == 201) }
        #expect(server.seen.map(\.count) == [nil, 1, 1, 1, 1])
        #expect(Set(server.seen.compactMap { $0.parameters["nonce"] }).count == 4)
    }

    @Test func `a nonce that comes again goes on counting`() async throws {
        let names = Locked(["two", "one", "one", "two", "two"])
        let server = ScriptedTransport { request in
            guard request["Authorization"] != nil else { return challenging("Digest realm=r, nonce=one, qop=auth") }
            let next = names.withLock { $0.removeFirst() }
            return HTTPResponse(status: 200, headers: [("authentication-info", "nextnonce=\"\(next)\"")])
        }
        let transport = authenticating(server)
        for _ in 0..<5 { _ = try await transport.send(get()) }
        let used = server.seen.compactMap { $0["Authorization"] }.compactMap { AuthenticationChallenge.parse($0).first }
        #expect(used.map { $0.parameters["nonce"] } == ["one", "two", "one", "one", "two"])
        #expect(used.map { $0.parameters["nc"] } == ["00000001", "00000001", "00000002", "00000003", "00000002"])
    }

    @Test func `a wrong password is tried once`() async throws {
        let server = DigestServer(.init(password: "an0ther"))
        let transport = authenticating(server)
        #expect(try await transport.send(get()).status == 401)
        #expect(server.seen.map(\.scheme) == ["", "digest"])
    }

    @Test func `a wrong password costs no upload`() async throws {
        let server = DigestServer(.init(password: "an0ther"))
        let transport = authenticating(server)
        for _ in 0..<2 { #expect(try await transport.send(put()).status == 401) }
        #expect(server.seen.map(\.method) == ["OPTIONS", "OPTIONS", "OPTIONS", "OPTIONS"])
    }

    @Test func `a password that changed is found out and handed back`() async throws {
        let server = DigestServer()
        let transport = authenticating(server)
        #expect(try await transport.send(get()).status == 201)
        server.change { $0.password = "an0ther" }
        #expect(try await transport.send(put()).status == 401)
        #expect(server.seen.dropFirst(2).map(\.method) == ["PUT", "PUT"])
        // From now on it is asked before a body is sent.
        #expect(try await transport.send(put()).status == 401)
        #expect(server.seen.dropFirst(4).allSatisfy { $0.bodyLength == 0 })
    }
}
