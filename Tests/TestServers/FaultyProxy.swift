internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
public import SubmitTesting

/// Stands before a server of HTTP and hands requests on by a ``FaultyTransport``: a program that speaks HTTP by itself meets
/// all faults there that a submitter of ours meets in its own process.
public final class FaultyProxy: Sendable {
    public let wire: FaultyTransport
    private let server: ScriptedServer

    public var endpoint: String { server.endpoint }

    /// - Parameter port: the server's, on the loopback.
    public init(to port: Int) {
        let wire = FaultyTransport(Relay(port: port))
        self.wire = wire
        server = ScriptedServer { connection in
            while let request = connection.request(), let response = Self.answer(to: request, by: wire) {
                guard connection.write(response.bytes(to: request.method)) else { break }
            }
            connection.end()
        }
    }

    /// - Returns: `nil` where the connection breaks instead.
    private static func answer(to received: ReceivedRequest, by wire: FaultyTransport) -> HTTPResponse? {
        let (isAnswered, response) = (DispatchSemaphore(value: 0), Locked<HTTPResponse?>(nil))
        Task {
            let answer = try? await wire.send(HTTPRequest(received))
            response.withLock { $0 = answer }
            isAnswered.signal()
        }
        isAnswered.wait()
        return response.withLock { $0 }
    }
}

/// Sends each request as it came, by a connection of its own.
private struct Relay: HTTPTransport {
    let port: Int

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let response = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: answer(to: request)) }
        }
        guard let response else { throw .broken("no answer", afterBody: true) }
        return response
    }

    private func answer(to request: HTTPRequest) -> HTTPResponse? {
        // To one of HTTP/1.0 no server answers in chunks, or before the last answer.
        let lines = ["\(request.method) \(request.url) HTTP/1.0"] + request.headers.map { "\($0.name): \($0.value)" }
        let head = (lines + ["", ""]).joined(separator: "\r\n")
        guard let server = ServerConnection(to: port), server.write(head) else { return nil }
        switch request.body {
        case .none: break
        case .bytes(let bytes): guard server.write(bytes) else { return nil }
        case .media(let item, _):
            var bytes = [UInt8](repeating: 0, count: Int(item.size))
            _ = bytes.withUnsafeMutableBytes { try? item.read(into: $0, at: 0) }
            guard server.write(bytes) else { return nil }
        }
        guard let answer = server.head() else { return nil }
        var body: [UInt8] = []
        while let bytes = server.some(64 << 10) { body += bytes }
        return HTTPResponse(status: Int(answer.target) ?? 0, headers: answer.headers, body: body)
    }
}

extension HTTPRequest {
    /// What is stored is a media item's.
    fileprivate init(_ received: ReceivedRequest) {
        self.init(method: received.method, url: received.target, headers: received.headers)
        if received.method == "PUT", !received.body.isEmpty {
            body = .media(ScriptedBytes(received.body), 0..<Int64(received.body.count))
        } else if !received.body.isEmpty {
            body = .bytes(received.body)
        }
    }
}

extension ReceivedRequest {
    /// Without what is between two ends of one connection.
    fileprivate var headers: [(name: String, value: String)] {
        head.split(separator: "\r\n").dropFirst().compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            let isOwn = ["connection", "keep-alive", "expect"].contains(parts[0].lowercased())
            guard parts.count == 2, !isOwn else { return nil }
            return (parts[0], parts[1])
        }
    }
}

extension HTTPResponse {
    /// As it is sent.
    fileprivate func bytes(to method: String) -> [UInt8] {
        let hasBody = method != "HEAD" && status != 204 && status != 304
        let length = hasBody ? ["Content-Length: \(body.count)"] : []
        let others = headers.filter { !hasBody || $0.name.lowercased() != "content-length" }
            .map { "\($0.name): \($0.value)" }
        let head = ["HTTP/1.1 \(status) \(Self.reasons[status] ?? "X")"] + others + length + ["", ""]
        return Array(head.joined(separator: "\r\n").utf8) + (hasBody ? body : [])
    }

    /// Some programs say these words, and not the number.
    private static let reasons = [
        401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests", 507: "Insufficient Storage",
    ]
}
