internal import Submit
internal import SubmitConcurrency
public import SubmitHTTP

/// What goes wrong at one request.
public enum WorldTrouble: String, Sendable, CaseIterable {
    /// The process dies before the server hears of it, or after it was done.
    case killedBefore, killedAfter
    /// The connection breaks before the server hears of it, in the midst of it, or after it was done.
    case brokenBefore, brokenMidway, lostAnswer
    case status423, status429, status500, status503

    /// As Swift.
    public static func text(_ troubles: [Int: WorldTrouble]) -> String {
        let all = troubles.sorted { $0.key < $1.key }.map { "\($0.key): .\($0.value.rawValue)" }
        return "[\(all.isEmpty ? ":" : all.joined(separator: ", "))]"
    }
}

/// What leads to a server, for all processes of a world.
public final class WorldWire: Sendable {
    /// Requests, after which nobody is answered any more: whoever asks without an end is stopped.
    public static let mostRequests = 3000

    fileprivate let server: any HTTPTransport
    fileprivate let torsos: (any HTTPTransport)?
    private let troubles: [Int: WorldTrouble]
    private let number = Locked(0)

    /// - Parameters:
    ///   - troubles: by the number of the request, counted over all processes.
    ///   - torsos: hears what the server got of an upload that broke off; `nil` where nothing comes of that.
    public init(_ server: any HTTPTransport, _ troubles: [Int: WorldTrouble], torsos: (any HTTPTransport)? = nil) {
        (self.server, self.troubles, self.torsos) = (server, troubles, torsos)
    }

    /// How many requests there were.
    public var count: Int { number.withLock { $0 } }

    fileprivate func next() -> WorldTrouble? {
        troubles[
            number.withLock { number in
                number += 1
                return number - 1
            }]
    }
}

/// A process of a world: when it is dead nothing of it is done any more.
public protocol MortalProcess: Sendable {
    var isDead: Bool { get }
}

/// One that sends to a server.
public final class WorldProcess: HTTPTransport, MortalProcess {
    private let wire: WorldWire
    private let dead = Locked(false)

    public init(_ wire: WorldWire) { self.wire = wire }

    public var isDead: Bool { dead.withLock { $0 } }

    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        if isDead { throw .broken("killed", afterBody: false) }
        if wire.count > WorldWire.mostRequests + 500 { throw .cannotConnect("too many requests") }
        switch wire.next() {
        case nil: return try await wire.server.send(request)
        case .killedBefore:
            dead.withLock { $0 = true }
            throw .broken("killed", afterBody: false)
        case .killedAfter:
            let _: HTTPResponse = try await wire.server.send(request)
            dead.withLock { $0 = true }
            throw .broken("killed", afterBody: true)
        case .brokenBefore: throw .broken("broken", afterBody: false)
        case .brokenMidway:
            if let torsos = wire.torsos, let half = request.half { _ = try await torsos.send(half) }
            throw .broken("broken", afterBody: false)
        case .lostAnswer:
            _ = try await wire.server.send(request)
            throw .broken("lost", afterBody: true)
        case .status423: return HTTPResponse(status: 423)
        case .status429: return HTTPResponse(status: 429)
        case .status500: return HTTPResponse(status: 500)
        case .status503: return HTTPResponse(status: 503)
        }
    }
}

extension HTTPRequest {
    /// What a server got of it that broke off; `nil` for what is no upload of a whole file.
    fileprivate var half: HTTPRequest? {
        guard method == "PUT", case .media(let source, let range) = body, range.lowerBound == 0,
            !headers.contains(where: { $0.name == "Content-Range" }), range.upperBound == source.size
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(range.upperBound / 2))
        let read = bytes.withUnsafeMutableBytes { buffer in try? source.read(into: buffer, at: 0) }
        guard read == bytes.count else { return nil }
        var request = self
        request.body = .bytes(bytes)
        return request
    }
}
