import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import Testing

@Suite
struct ConnectingTests {
    @Test func `nobody listening is told as such`() async throws {
        // Bound by us and gone again: nobody else's.
        let port = LoopbackServer.closedPort()
        let failure = await failure(of: get("http://127.0.0.1:\(port)/"))
        guard case .cannotConnect(let text) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(text.contains("127.0.0.1"))
    }

    @Test func `a handshake that never ends is a connection that cannot be made`() async throws {
        let server = LoopbackServer { $0.readToEnd() }
        let transport = try CurlTransport(CurlConfiguration(userAgent: "t", connectTimeout: 300, proxy: ""))
        let result = await Task { try await transport.send(get("https://127.0.0.1:\(server.port)/")) }.result
        guard case .failure(HTTPFailure.cannotConnect) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func `https to a server without TLS is not trusted`() async throws {
        let server = LoopbackServer { connection in
            _ = connection.read(5)
            connection.write(answer(400))
            connection.readToEnd()
        }
        let failure = await failure(of: get("https://127.0.0.1:\(server.port)/"))
        guard case .untrusted = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test(arguments: [true, false])
    func `a server that goes away in the handshake cannot be reached`(isReset: Bool) async throws {
        let server = LoopbackServer { connection in
            _ = connection.read(5)
            if isReset { connection.resetOnClose() }
        }
        let failure = await failure(of: get("https://127.0.0.1:\(server.port)/"))
        guard case .cannotConnect = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func `certificates that cannot be read are refused at once`() {
        #expect {
            try CurlTransport(CurlConfiguration(userAgent: "t", certificateAuthorities: "/nowhere/ca.pem"))
        } throws: { error in
            let failure = error as? SubmitFailure
            return failure?.remedy == .hold(.misconfigured, after: nil)
                && failure?.message.contains("/nowhere/ca.pem") == true
        }
    }

    @Test func `a proxy is given the whole URL`() async throws {
        let proxy = LoopbackServer.answering {
            answer(200, ["X-Line: " + $0.line, "X-For: " + ($0["Proxy-Authorization"] ?? "")])
        }
        let response = try await transport(proxy: "http://u:p@127.0.0.1:\(proxy.port)").send(
            get("http://photos.invalid/a%2fb?c"))
        #expect(response["X-Line"] == "GET http://photos.invalid/a%2fb?c HTTP/1.1")
        #expect(response["X-For"] == "Basic dTpw")
    }

    @Test func `a proxy that asks for credentials is a failure of the proxy`() async throws {
        let proxy = LoopbackServer.answering { _ in answer(407, ["Proxy-Authenticate: Basic realm=\"x\""]) }
        for scheme in ["http", "https"] {
            let failure = await failure(
                of: get("\(scheme)://photos.invalid/?secret=1"), proxy: "http://user:hidden@127.0.0.1:\(proxy.port)")
            guard case .proxy(let text) = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect(!text.contains("hidden") && !text.contains("secret"))
        }
    }

    @Test func `a proxy that refuses the tunnel is a failure of the proxy, and hears no credentials of ours`()
        async throws
    {
        let heads = Locked("")
        let proxy = LoopbackServer.answering { request in
            heads.withLock { $0 += request.head }
            return answer(403, ["X-Of-The-Proxy: 1"], "no")
        }
        let request = HTTPRequest(
            method: "PUT", url: "https://photos.invalid/a", headers: [("Authorization", "Bearer mine")],
            body: .bytes([1]))
        let failure = await failure(of: request, proxy: "http://127.0.0.1:\(proxy.port)")
        #expect(failure == .proxy("The proxy answered 403"))
        #expect(heads.withLock { $0.hasPrefix("CONNECT photos.invalid:443 HTTP/1.1\r\n") && !$0.contains("mine") })
    }

    @Test(arguments: ["http://user:hidden@:x/", "socks9://user:hidden@127.0.0.1", "http://user:hidden@no where/"])
    func `a proxy that makes no sense is told without its credentials`(proxy: String) async throws {
        let failure = await failure(of: get("http://photos.invalid/"), proxy: proxy)
        #expect(failure != nil && !"\(failure!)".contains("hidden"))
    }

    @Test func `the environment names the proxy`() async throws {
        await #expect(processExitsWith: .success) {
            let proxy = LoopbackServer.answering { answer(200, ["X-Line: " + $0.line]) }
            setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            setenv("no_proxy", "127.0.0.1", 1)
            let transport = try CurlTransport(CurlConfiguration(userAgent: "t"))
            let proxied = try await transport.send(get("http://photos.invalid/a"))
            #expect(proxied["X-Line"] == "GET http://photos.invalid/a HTTP/1.1")
            let direct = try await transport.send(get("http://127.0.0.1:\(proxy.port)/a"))
            #expect(direct["X-Line"] == "GET /a HTTP/1.1")
        }
    }
}
