import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A request as a service sees it.
struct Seen: Sendable {
    var method: String
    var path: String
    var query: [String: String]
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// A place in a JSON body.
    func json(_ pointer: String) -> RecipeValue { JSONText.read(body)?.at(JSONPointer(pointer)!) ?? .null }

    /// The content of a part of a multipart body.
    func part(_ name: String) -> String? {
        guard let type = self["Content-Type"], let mark = type.range(of: "boundary=") else { return nil }
        for part in text.components(separatedBy: "--" + type[mark.upperBound...]) {
            guard let gap = part.range(of: "\r\n\r\n"), part[..<gap.lowerBound].contains("name=\"\(name)\"") else {
                continue
            }
            return String(part[gap.upperBound...].dropLast())
        }
        return nil
    }
}

/// What goes wrong with one request.
enum ServiceFault: Sendable, Hashable, CaseIterable {
    /// It never arrives.
    case lostBefore
    /// It is done, and the answer is lost.
    case lostAfter
    /// It is done, and the answer is a gateway's.
    case badGateway
    case busy
    case slowDown
    case refused
    /// The process is killed before the service gets it.
    case killedBefore
    /// The process is killed when the service has done it, before the answer.
    case killedAfter

    /// It was done at the service.
    var isDone: Bool { [.lostAfter, .badGateway, .killedAfter].contains(self) }
}

/// A service in memory, that follows a script and can go wrong at any request.
final class FakeService: HTTPTransport {
    private struct State {
        var requests: [Seen] = []
        var faults: [Int: ServiceFault] = [:]
        var isKilled = false
    }

    private let state = Locked(State())
    private let script: @Sendable (Seen) -> HTTPResponse
    private let killed: @Sendable () -> Void

    /// - Parameter killed: called when a fault kills the process; what is sent then never ends by itself.
    init(killed: @escaping @Sendable () -> Void = {}, _ script: @escaping @Sendable (Seen) -> HTTPResponse) {
        self.script = script
        self.killed = killed
    }

    static let url = "https://service.example"

    var requests: [Seen] { state.withLock { $0.requests } }

    /// - Parameter number: of the request, from 0.
    func fail(at number: Int, _ kind: ServiceFault) {
        state.withLock { $0.faults[number] = kind }
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        let seen = try Self.seen(request)
        let fault = state.withLock { state -> ServiceFault? in
            state.requests.append(seen)
            return state.faults[state.requests.count - 1]
        }
        var answer = HTTPResponse(status: 500)
        if fault == nil || fault!.isDone {
            request.sent?(request.body.length ?? 0)
            answer = script(seen)
        }
        switch fault {
        case nil: return answer
        case .lostBefore: throw .broken("Connection reset by peer", afterBody: false)
        case .lostAfter: throw .broken("Connection reset by peer", afterBody: true)
        case .badGateway:
            return HTTPResponse(status: 502, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))
        case .busy: return HTTPResponse(status: 503)
        case .slowDown: return HTTPResponse(status: 429, headers: [("Retry-After", "7")])
        case .refused: return HTTPResponse(status: 401)
        case .killedBefore, .killedAfter:
            killed()
            try? await Task.sleep(for: .seconds(600))
            throw .cancelled
        }
    }

    private static func seen(_ request: HTTPRequest) throws(HTTPFailure) -> Seen {
        let halves = request.url.dropFirst(Self.url.count).split(separator: "?", maxSplits: 1)
        var query: [String: String] = [:]
        for field in WebForm.decode(halves.count > 1 ? String(halves[1]) : "") { query[field.name] = field.value }
        do throws(SubmitFailure) {
            return Seen(
                method: request.method, path: String(halves.first ?? "/"), query: query, headers: request.headers,
                body: try request.body.contents())
        } catch {
            throw .body(error)
        }
    }
}

func json(_ status: Int, _ body: String, _ headers: [(name: String, value: String)] = []) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers + [("Content-Type", "application/json")], body: Array(body.utf8))
}

func xml(_ status: Int, _ body: String) -> HTTPResponse {
    HTTPResponse(status: status, headers: [("Content-Type", "text/xml")], body: Array(body.utf8))
}

func plain(_ status: Int, _ body: String = "", _ headers: [(name: String, value: String)] = []) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers + [("Content-Type", "text/plain")], body: Array(body.utf8))
}
