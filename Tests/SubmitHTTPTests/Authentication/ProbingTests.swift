import Submit
import SubmitConcurrency
import SubmitHTTP
import TestServers
import Testing

/// What happens before the first body.
struct ProbingTests {
    @Test func `a server that lets everybody ask OPTIONS is asked once more`() async throws {
        let server = DigestServer(.init(openMethods: ["OPTIONS"]))
        let transport = authenticating(server)
        for _ in 0..<2 { #expect(try await transport.send(put()).status == 201) }
        #expect(server.seen.map(\.method) == ["OPTIONS", "PROPFIND", "PROPFIND", "PUT", "PUT"])
        #expect(server.seen.filter { $0.bodyLength > 0 }.allSatisfy { $0.scheme == "digest" })
    }

    @Test func `a server that protects writing alone is found out by writing`() async throws {
        let server = DigestServer(.init(openMethods: ["OPTIONS", "PROPFIND"]))
        let transport = authenticating(server)
        for _ in 0..<2 { #expect(try await transport.send(put()).status == 201) }
        #expect(server.seen.map(\.method) == ["OPTIONS", "PROPFIND", "PUT", "PUT", "PUT"])
    }

    @Test func `what is asked about is the folder, and of the answer its head alone`() async throws {
        let server = ScriptedTransport { HTTPResponse(status: $0.method == "PUT" ? 201 : 200) }
        for (path, folder) in [("/dav/new/a%20b.jpg?x=/y", "/dav/new/"), ("/", "/"), ("", "")] {
            _ = try await authenticating(server).send(put("https://h\(path)"))
            #expect(
                server.seen.suffix(3).map(\.url) == ["https://h\(folder)", "https://h\(folder)", "https://h\(path)"])
        }
        #expect(server.seen.allSatisfy { $0.needsOnlyHead == ($0.method != "PUT") })
    }

    @Test func `no body, no probe`() async throws {
        let server = DigestServer()
        var empty = put()
        empty.body = .bytes([])
        #expect(try await authenticating(server).send(empty).status == 201)
        #expect(server.seen.map(\.method) == ["PUT", "PUT"])
    }

    @Test func `what was found out without a body needs no probe`() async throws {
        let server = DigestServer()
        let transport = authenticating(server)
        _ = try await transport.send(get())
        _ = try await transport.send(put())
        #expect(server.seen.map(\.method) == ["GET", "GET", "PUT"])
    }

    @Test(arguments: [429, 502, 503, 504])
    func `a server that has no time is believed`(status: Int) async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: status, headers: [("Retry-After", "7")]) }
        let answer = try await authenticating(server).send(put())
        #expect(answer.status == status && answer["Retry-After"] == "7")
        #expect(server.seen.map(\.method) == ["OPTIONS"])
    }

    @Test(arguments: [200, 204, 301, 307, 403, 404, 405, 500, 501])
    func `a server that asks for nothing gets the body`(status: Int) async throws {
        let server = ScriptedTransport { HTTPResponse(status: $0.method == "PUT" ? 201 : status) }
        let transport = authenticating(server)
        for _ in 0..<2 { #expect(try await transport.send(put()).status == 201) }
        #expect(server.seen.map(\.method) == ["OPTIONS", "PROPFIND", "PUT", "PUT"])
    }

    @Test func `the probe shows the same certificate and trusts the same authority`() async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: 200) }
        var request = put()
        request.clientCertificate = ClientCertificate(certificate: "/c.pem", key: "/k.pem")
        request.certificateAuthority = "/ca.pem"
        _ = try await authenticating(server).send(request)
        #expect(server.seen.count == 3)
        #expect(
            server.seen.allSatisfy {
                $0.clientCertificate == request.clientCertificate && $0.certificateAuthority == "/ca.pem"
            })
    }

    @Test(arguments: [
        (HTTPFailure.broken("x", afterBody: true), HTTPFailure.broken("x", afterBody: false)),
        (.stalled(afterBody: true), .stalled(afterBody: false)), (.unknownHost("h"), .unknownHost("h")),
    ])
    func `a probe that fails has not sent the body`(failure: HTTPFailure, thrown: HTTPFailure) async throws {
        let server = ScriptedTransport { _ throws(HTTPFailure) in throw failure }
        await #expect(throws: thrown) { try await authenticating(server).send(put()) }
    }

    @Test func `when the one who asks is cancelled, the next asks`() async throws {
        let digests = DigestServer()
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let isFirst = Locked(true)
        let server = ScriptedTransport { request throws(HTTPFailure) in
            if isFirst.withLock({ first in
                defer { first = false }
                return first
            }) {
                ask.finish()
                return try await hang()
            }
            return try await digests.send(request)
        }
        let transport = authenticating(server)
        let first = Task { try await transport.send(put()) }
        for await _ in asked {}
        let others = (0..<5).map { number in Task { try await transport.send(put("https://h/\(number)")) } }
        let given = Task { try await transport.send(put()) }
        given.cancel()
        first.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await first.value }
        await #expect(throws: HTTPFailure.cancelled) { try await given.value }
        for other in others { #expect(try await other.value.status == 201) }
        #expect(digests.seen.filter { $0.method == "OPTIONS" }.count == 2)
    }
}

/// Ends when the task is cancelled.
private func hang() async throws(HTTPFailure) -> HTTPResponse {
    let (nothing, end) = AsyncStream<Void>.makeStream()
    for await _ in nothing {}
    end.finish()
    throw .cancelled
}
