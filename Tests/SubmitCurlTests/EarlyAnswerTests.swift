import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import Testing

/// Servers that need no body to know their answer, such as one that has the photo already.
@Suite
struct EarlyAnswerTests {
    private static let duplicate = answer(200, ["Content-Type: application/json"], #"{"status":"duplicate"}"#)

    /// Answers by the head alone, and drops the connection.
    private static func server() -> LoopbackServer {
        LoopbackServer { connection in
            guard connection.head() != nil else { return }
            connection.resetOnClose()
            connection.write(duplicate)
        }
    }

    private static func upload(_ server: LoopbackServer, takesEarlyAnswer: Bool, expects: Bool = false) -> HTTPRequest {
        let media = MemoryBytes(MemoryBytes.varied(16 << 20))
        var request = HTTPRequest(
            method: "POST", url: server.url, headers: expects ? [("Expect", "100-continue")] : [],
            body: .pieces([.text("head"), .media(media, 0..<16 << 20)]))
        request.takesEarlyAnswer = takesEarlyAnswer
        return request
    }

    @Test func `a success before the body was read stands where the request takes it`() async throws {
        for _ in 0..<10 {
            let server = Self.server()
            let transport = try transport()
            do throws(HTTPFailure) {
                let response = try await transport.send(Self.upload(server, takesEarlyAnswer: true))
                #expect(response.status == 200)
                #expect(String(decoding: response.body, as: UTF8.self).contains("duplicate"))
                return
            } catch {
                // The reset may drop the answer before it was read.
                guard case .broken = error else {
                    Issue.record(error)
                    return
                }
            }
        }
        Issue.record("no answer was ever heard")
    }

    @Test func `it does not stand where the request does not say so`() async throws {
        await #expect(throws: HTTPFailure.self) {
            try await transport().send(Self.upload(Self.server(), takesEarlyAnswer: false))
        }
    }

    @Test func `with Expect nothing of the body is sent when the answer comes at once`() async throws {
        let rest = Locked<Int?>(nil)
        let done = Signal()
        let server = LoopbackServer { connection in
            guard connection.head() != nil else { return }
            connection.write(answer(200, ["Connection: close"], "{}"))
            rest.withLock { $0 = connection.readToEnd() }
            done.send()
        }
        let transport = try transport()
        let response = try await transport.send(Self.upload(server, takesEarlyAnswer: true, expects: true))
        #expect(response.status == 200)
        transport.close()
        _ = await done.wait()
        #expect(rest.withLock { $0 } == 0)
    }
}
