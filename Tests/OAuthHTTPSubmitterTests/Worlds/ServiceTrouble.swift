import Submit
import SubmitConcurrency
import SubmitHTTP

@testable import OAuthHTTPSubmitter

/// What goes wrong at one request.
enum ServiceTrouble: String, Sendable, Hashable, CaseIterable {
    /// The process dies before the service hears of it, or after it was done.
    case killedBefore, killedAfter
    /// The connection breaks before the service hears of it, in the midst of it, or after it was done.
    case brokenBefore, brokenMidway, lostAnswer
    /// The credentials have ended, until someone signs in again.
    case signedOut
    /// Too many requests, without a time and with one.
    case status429, status429For7
    /// The service stumbles before it does anything, or asks for patience.
    case status500, status503, status503For9
    /// It was done, and then something failed; the last is of a cache before it, with a time, as Varnish says.
    case status500After, status502After, status504After, status524After, status503PageAfter
    /// The page of a network that wants a sign-in of its own, or of a gateway that takes us for a robot.
    case page200, page403
    /// It was done, and the answer has no body, or half of one.
    case emptyAfter, halfAnswer

    /// The service did what was asked, or may have.
    var isAfter: Bool {
        switch self {
        case .killedAfter, .lostAnswer, .status500After, .status502After, .status504After, .status524After,
            .status503PageAfter, .emptyAfter, .halfAnswer:
            true
        default: false
        }
    }

    /// Nobody can tell it from one after which it was done.
    var isLikeAfter: Bool {
        isAfter || [.killedBefore, .status500, .status503, .page200].contains(self)
    }

    /// As Swift.
    static func text(_ troubles: [Int: ServiceTrouble]) -> String {
        let all = troubles.sorted { $0.key < $1.key }.map { "\($0.key): .\($0.value.rawValue)" }
        return "[\(all.isEmpty ? ":" : all.joined(separator: ", "))]"
    }
}

/// What leads to a service, for all processes of a world.
final class ServiceWire: Sendable {
    /// Requests, after which whoever asks without an end is stopped.
    static let mostRequests = 3000

    fileprivate let service: DrawnService
    private let troubles: [Int: ServiceTrouble]
    private let number = Locked(0)

    init(_ service: DrawnService, _ troubles: [Int: ServiceTrouble]) {
        (self.service, self.troubles) = (service, troubles)
    }

    var count: Int { number.withLock { $0 } }

    /// Those that came to pass.
    var suffered: Set<ServiceTrouble> { Set(troubles.filter { $0.key < count }.values) }

    fileprivate func next() -> ServiceTrouble? {
        troubles[
            number.withLock { number in
                number += 1
                return number - 1
            }]
    }
}

/// A process: when it is dead nothing of it reaches the service.
final class SendingProcess: HTTPTransport {
    private let wire: ServiceWire
    private let dead = Locked(false)

    init(_ wire: ServiceWire) { self.wire = wire }

    var isDead: Bool { dead.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        var answer = try answer(request)
        if request.method == "HEAD" { answer.body = [] }
        return answer
    }

    private func answer(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
        if isDead { throw .broken("killed", afterBody: false) }
        if wire.count > ServiceWire.mostRequests + 500 { throw .cannotConnect("too many requests") }
        let body: [UInt8]
        do throws(SubmitFailure) {
            body = try request.body.contents()
        } catch {
            throw .body(error)
        }
        let (service, trouble) = (wire.service, wire.next())
        let answer = trouble.map { $0.isAfter } ?? true ? service.answer(request, body) : HTTPResponse(status: 500)
        if trouble.map({ $0.isAfter }) ?? true { request.sent?(Int64(body.count)) }
        switch trouble {
        case nil: return answer
        case .killedBefore:
            dead.withLock { $0 = true }
            throw .broken("killed", afterBody: false)
        case .killedAfter:
            dead.withLock { $0 = true }
            throw .broken("killed", afterBody: true)
        case .brokenBefore: throw .broken("broken", afterBody: false)
        case .brokenMidway:
            service.break(request, body)
            throw .broken("broken", afterBody: false)
        case .lostAnswer: throw .broken("lost", afterBody: true)
        case .signedOut:
            service.signOut()
            return service.answer(request, body)
        case .status429: return service.failure(429)
        case .status429For7: return service.failure(429, [("Retry-After", "7")])
        case .status500:
            service.stumble(request)
            return service.failure(500)
        case .status500After: return service.failure(500)
        case .status503: return service.failure(503)
        case .status503For9: return HTTPResponse(status: 503, headers: [("Retry-After", "9")])
        case .status502After: return Self.page(502)
        case .status504After: return Self.page(504)
        case .status524After: return Self.page(524)
        case .status503PageAfter: return Self.page(503, [("Retry-After", "5")])
        case .page200: return Self.page(200)
        case .page403: return Self.page(403)
        case .emptyAfter:
            // Of failures there is nothing to lose.
            return (200...299).contains(answer.status)
                ? HTTPResponse(status: answer.status, headers: answer.headers) : answer
        case .halfAnswer:
            guard (200...299).contains(answer.status) else { return answer }
            return HTTPResponse(
                status: answer.status, headers: answer.headers, body: Array(answer.body.prefix(answer.body.count / 2)))
        }
    }

    private static func page(_ status: Int, _ headers: [(name: String, value: String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: headers + [("Content-Type", "text/html; charset=utf-8")],
            body: Array("<!DOCTYPE html><html><head><title>\(status)</title></head><body>Sorry.</body></html>".utf8))
    }
}
