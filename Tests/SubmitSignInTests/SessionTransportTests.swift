import Submit
import SubmitConcurrency
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitSignIn

/// A server with sessions, as CouchDB has them.
private final class SessionServer: HTTPTransport {
    struct State: Sendable {
        var number = 0
        var logins = 0
        var requests = 0
        /// Of sign-ins.
        var authority: String?
        var refuses = false
        /// The next answer renews the cookie.
        var renews = false
        /// Such as one that sets no cookie.
        var answer: HTTPResponse?
    }

    let state = Locked(State())

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        for _ in 0..<5 { await Task.yield() }
        return state.withLock { state in
            if request.url.hasSuffix("/_session") {
                state.logins += 1
                state.authority = request.certificateAuthority
                if let answer = state.answer { return answer }
                guard !state.refuses, request.form == ["name": "me", "password": "p&ss w0rd"] else {
                    return HTTPResponse(status: 401)
                }
                state.number += 1
                return HTTPResponse(status: 200, headers: [cookie(state.number)])
            }
            state.requests += 1
            guard request["Cookie"] == "AuthSession=session-\(state.number)", state.number > 0 else {
                return HTTPResponse(status: 401)
            }
            guard state.renews else { return HTTPResponse(status: 200) }
            state.renews = false
            state.number += 1
            return HTTPResponse(status: 200, headers: [cookie(state.number)])
        }
    }

    private func cookie(_ number: Int) -> (String, String) {
        ("Set-Cookie", "AuthSession=session-\(number); Version=1; Max-Age=600; Path=/; HttpOnly")
    }
}

@Suite struct `Sessions by a cookie` {
    private func transport(_ server: SessionServer, at origin: String = "https://h") -> SessionTransport {
        SessionTransport(
            server, url: "\(origin)/_session", user: "me", password: "p&ss w0rd", cookieName: "AuthSession",
            origin: try! Endpoint(origin), allowsPlain: false)
    }

    @Test func `one sign-in is for all who wait, and for all who come later`() async throws {
        let server = SessionServer()
        let transport = transport(server)
        for _ in 0..<2 {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await transport.send(put()).status } }
                for try await status in group { #expect(status == 200) }
            }
        }
        #expect(server.state.withLock { $0.logins } == 1)
        #expect(server.state.withLock { $0.requests } == 40)
    }

    @Test func `who signs in trusts whom the request trusts`() async throws {
        let server = SessionServer()
        var request = put()
        request.certificateAuthority = "/etc/ssl/couch.pem"
        _ = try await transport(server).send(request)
        #expect(server.state.withLock { $0.authority } == "/etc/ssl/couch.pem")
    }

    @Test func `one that ended is had anew, and the request is sent again`() async throws {
        let server = SessionServer()
        let transport = transport(server)
        _ = try await transport.send(get())
        server.state.withLock { $0.number += 1 }
        #expect(try await transport.send(put()).status == 200)
        #expect(server.state.withLock { $0.logins } == 2)
    }

    @Test func `one that the server renews takes the place of the one before`() async throws {
        let server = SessionServer()
        let transport = transport(server)
        server.state.withLock { $0.renews = true }
        for _ in 0..<3 { #expect(try await transport.send(get()).status == 200) }
        #expect(server.state.withLock { $0.logins } == 1)
    }

    @Test func `a password that is refused stands, and so does a second refusal`() async throws {
        let server = SessionServer()
        server.state.withLock { $0.refuses = true }
        #expect(try await transport(server).send(put()).status == 401)
        #expect(server.state.withLock { $0.requests } == 0)
        let stubborn = SessionServer()
        let transport = transport(stubborn)
        _ = try await transport.send(get())
        stubborn.state.withLock {
            $0.answer = HTTPResponse(status: 200, headers: [("Set-Cookie", "AuthSession=no-use")])
        }
        stubborn.state.withLock { $0.number = 99 }
        #expect(try await transport.send(get()).status == 401)
        #expect(stubborn.state.withLock { $0.logins } == 2)
    }

    @Test(arguments: [
        HTTPResponse(status: 200), HTTPResponse(status: 200, headers: [("Set-Cookie", "AuthSession=; Max-Age=0")]),
        HTTPResponse(status: 200, headers: [("Set-Cookie", "other=1")]),
    ])
    func `a server that gives no cookie lets nobody in`(_ answer: HTTPResponse) async throws {
        let server = SessionServer()
        server.state.withLock { $0.answer = answer }
        #expect(try await transport(server).send(get()).status == 401)
    }

    @Test func `cookie and password go to one origin, and over no open line`() async throws {
        let server = SessionServer()
        #expect(try await transport(server).send(get("https://other/a")).status == 401)
        #expect(server.state.withLock { $0.logins } == 0)
        let open = transport(server, at: "http://h")
        await #expect(throws: HTTPFailure.refusedAuthentication(.basicNotAllowed)) {
            try await open.send(get("http://h/"))
        }
        var dumped = ""
        dump(transport(server), to: &dumped)
        #expect(!dumped.contains("p&ss"))
    }
}

func get(_ url: String = "https://h/a?b=c") -> HTTPRequest { HTTPRequest(method: "GET", url: url) }
func put(_ url: String = "https://h/a") -> HTTPRequest {
    HTTPRequest(method: "PUT", url: url, body: .bytes([1, 2, 3]))
}
