import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

/// A server that stores what it gets, and whose answer comes too late.
private struct Unanswering: HTTPTransport {
    let server: FakeDAV
    /// How many of the requests with the item's bytes get no answer.
    let left: Locked<Int>

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let answer = try await server.send(request)
        guard request.method == "PUT", request.url.contains("test-"), answer.isSuccess,
            left.withLock({ left in
                left -= 1
                return left >= 0
            })
        else { return answer }
        throw .stalled(afterBody: true)
    }
}

@Suite struct `A WebDAV answer that never comes` {
    private let bytes = ScriptedBytes(ScriptedBytes.content(count: 200_000))

    @Test(arguments: [[], [.md5ETags], [.noETags], [.ocMtime], [.keepsFragment, .weakETags]] as [Set<FakeDAV.Manner>])
    func `leaves an upload that is looked at and not sent again`(_ manners: Set<FakeDAV.Manner>) async throws {
        let server = FakeDAV(manners)
        let submitter = try server.submitter(transport: Unanswering(server: server, left: Locked(1)))
        let found = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        #expect(found.remedy == .retry(after: nil) && found.code == HTTPFailure.noAnswerCode)
        let taken = server.taken
        let receipt = try await submitter.submit(bytes, attempt: 2)
        #expect(receipt.remoteID == "a.jpg" && receipt.evidence != .unknown)
        #expect(server.taken == taken, "nothing was sent again")
        #expect(server.files == ["a.jpg": bytes.content] && server.names == ["a.jpg"])
    }

    @Test func `leaves nothing behind where other bytes arrived`() async throws {
        let server = FakeDAV()
        let submitter = try server.submitter(transport: Unanswering(server: server, left: Locked(1)))
        _ = try await failure { () async throws(SubmitFailure) in try await submitter.submit(bytes) }
        let name = try #require(server.names.first { $0.contains("test-1") })
        server.put([UInt8](repeating: 0, count: bytes.content.count), name)
        _ = try await submitter.submit(bytes, attempt: 2)
        #expect(server.files == ["a.jpg": bytes.content] && server.names == ["a.jpg"])
    }

    @Test func `leaves many small uploads that are all looked at and not sent again`() async throws {
        let server = FakeDAV()
        let submitter = try server.submitter(transport: Unanswering(server: server, left: Locked(20)))
        let items = (0..<20).map { ScriptedBytes(ScriptedBytes.content(count: 1000 + $0)) }
        for attempt in 1...2 {
            let taken = server.taken
            await withTaskGroup(of: Bool.self) { group in
                for (number, bytes) in items.enumerated() {
                    group.addTask {
                        let receipt = try? await submitter.submit(
                            bytes, named: "\(number).jpg", as: "test-\(number)", attempt: attempt)
                        return receipt != nil
                    }
                }
                for await isDone in group { #expect(isDone == (attempt == 2)) }
            }
            if attempt == 2 { #expect(server.taken == taken, "nothing was sent again") }
        }
        #expect(server.names == Set((0..<20).map { "\($0).jpg" }))
    }
}
