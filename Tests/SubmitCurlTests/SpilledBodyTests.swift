import Submit
import SubmitCurl
import SubmitHTTP
import Testing

/// Bodies that nobody asked for, or nobody needs.
@Suite
struct SpilledBodyTests {
    private static let page = "<!DOCTYPE html><html><body>401 Unauthorized</body></html>"

    /// Answers as it should, but sends a body after its answers on HEAD, late: when the next request is there.
    private static func spilling() -> LoopbackServer {
        LoopbackServer { connection in
            var late = ""
            while let request = connection.request() {
                if request.line.hasPrefix("HEAD") {
                    connection.write(late + "HTTP/1.1 401 X\r\nContent-Length: \(page.utf8.count)\r\n\r\n")
                    late = page
                } else {
                    connection.write(late + answer(200, [], request.line))
                    late = ""
                }
            }
        }
    }

    @Test(arguments: ["PROPFIND", "PUT", "MOVE", "DELETE", "HEAD"])
    func `a body behind an answer on HEAD is not taken for the next answer`(_ method: String) async throws {
        let server = Self.spilling()
        let transport = try transport()
        let head = HTTPRequest(method: "HEAD", url: server.url + "/a")
        let answer = try await transport.send(head)
        #expect(answer.status == 401 && answer.body.isEmpty)
        let body = method == "PUT" ? HTTPBody.bytes(MemoryBytes.varied(300_000)) : .none
        let response = try await transport.send(HTTPRequest(method: method, url: server.url + "/b", body: body))
        #expect(response.status == (method == "HEAD" ? 401 : 200))
        #expect(method == "HEAD" || String(decoding: response.body, as: UTF8.self) == "\(method) /b HTTP/1.1")
        #expect(server.connections == 2)
    }

    @Test func `what must not be sent twice ends as broken, and is not met by it again`() async throws {
        let server = Self.spilling()
        let transport = try transport()
        let head = HTTPRequest(method: "HEAD", url: server.url + "/a")
        let post = HTTPRequest(method: "POST", url: server.url + "/b", body: .bytes([1]))
        _ = try await transport.send(head)
        let failure = await failure(of: post, by: transport)
        guard case .broken = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        _ = try await transport.send(head)
        #expect(try await transport.send(post).status == 200)
    }

    private func failure(of request: HTTPRequest, by transport: CurlTransport) async -> HTTPFailure? {
        do throws(HTTPFailure) {
            _ = try await transport.send(request)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["Transfer-Encoding: chunked", "Content-Length: 100", "Connection: close"])
    func `a body that nobody needs is not waited for`(_ framing: String) async throws {
        let server = LoopbackServer { connection in
            guard connection.request() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nAllow: PUT\r\n\(framing)\r\n\r\n")
            // Until the other side has gone: the body does not come.
            connection.readToEnd()
        }
        var request = HTTPRequest(method: "OPTIONS", url: server.url)
        request.needsOnlyHead = true
        let response = try await transport().send(request)
        #expect(response.status == 200 && response["Allow"] == "PUT" && response.body.isEmpty)
    }

    @Test func `where there is none, the connection is used again`() async throws {
        let server = LoopbackServer.answering { _ in answer(200) }
        var request = HTTPRequest(method: "OPTIONS", url: server.url)
        request.needsOnlyHead = true
        let transport = try transport()
        for _ in 0..<3 { _ = try await transport.send(request) }
        #expect(server.connections == 1)
    }
}
