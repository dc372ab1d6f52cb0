import Submit
import SubmitConcurrency
import SubmitHTTP

/// What a request of an upload in pieces is about.
enum PieceStep: Sendable, Hashable {
    case make
    case piece(Int)
    case list, assemble, removeUpload, look, place, store, other

    init(_ request: HTTPRequest) {
        let path = request.url.split(separator: "?")[0]
        let parts = path.split(separator: "/").map(String.init)
        if let index = parts.firstIndex(of: "uploads") {
            let name = parts.count > index + 3 ? parts[index + 3] : nil
            switch (request.method, name) {
            case ("MKCOL", nil): self = .make
            case ("PUT", let name?): self = Int(name).map(Self.piece) ?? .other
            case ("PROPFIND", nil): self = .list
            case ("MOVE", ".file"): self = .assemble
            case ("DELETE", nil): self = .removeUpload
            default: self = .other
            }
            return
        }
        let isTemporary = parts.last.map { $0.hasPrefix(".submit-") && !$0.contains("probe") } ?? false
        switch request.method {
        case "PROPFIND", "HEAD": self = isTemporary ? .look : .other
        case "MOVE": self = isTemporary ? .place : .other
        case "PUT": self = parts.last?.contains("probe") ?? false ? .other : .store
        default: self = .other
        }
    }
}

/// A transport on which things go wrong, once each.
final class Wire: HTTPTransport {
    enum Fault: Sendable {
        /// The request never came there.
        case lostBefore
        /// It was done, and the answer was lost.
        case lostAfter
        /// It was not done.
        case refused(Int)
        /// It was done, and something else was said.
        case doneBut(Int)
        /// The task ends in the middle of it: as a kill does.
        case cancelled
        case changed(@Sendable (HTTPResponse) -> HTTPResponse)
        /// Something happens before it.
        case after(@Sendable () async -> Void)
    }

    private struct State {
        var faults: [(step: PieceStep, fault: Fault)] = []
        var steps: [PieceStep] = []
        var taken: Int64 = 0
        var underWay = 0
        var mostUnderWay = 0
        var sent: [HTTPRequest] = []
    }

    private let transport: any HTTPTransport
    private let state = Locked(State())

    init(_ transport: any HTTPTransport) { self.transport = transport }

    func plan(_ step: PieceStep, _ fault: Fault) { state.withLock { $0.faults.append((step, fault)) } }
    func forget() { state.withLock { ($0.steps, $0.sent) = ([], []) } }

    /// Those of uploads, without the probe's.
    var steps: [PieceStep] { state.withLock { $0.steps.filter { $0 != .other } } }
    var sent: [HTTPRequest] { state.withLock { $0.sent } }
    /// Bytes of pieces and whole items that the server said yes to.
    var taken: Int64 { state.withLock { $0.taken } }
    /// Pieces at once.
    var mostUnderWay: Int { state.withLock { $0.mostUnderWay } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let step = PieceStep(request)
        let fault: Fault? = state.withLock { state in
            state.steps.append(step)
            state.sent.append(request)
            guard let index = state.faults.firstIndex(where: { $0.step == step }) else { return nil }
            return state.faults.remove(at: index).fault
        }
        switch fault {
        case .lostBefore: throw .broken("reset", afterBody: false)
        case .refused(let status): return HTTPResponse(status: status)
        case .cancelled: throw .cancelled
        case .after(let event): await event()
        default: break
        }
        var isPiece = false
        if case .piece = step { isPiece = true }
        if isPiece {
            state.withLock { state in
                state.underWay += 1
                state.mostUnderWay = max(state.mostUnderWay, state.underWay)
            }
        }
        defer { if isPiece { state.withLock { $0.underWay -= 1 } } }
        let answer = try await transport.send(request)
        if isPiece || step == .store, answer.status < 300 {
            state.withLock { $0.taken += request.body.length ?? 0 }
        }
        switch fault {
        case .lostAfter: throw .broken("reset", afterBody: true)
        case .doneBut(let status): return HTTPResponse(status: status)
        case .changed(let change): return change(answer)
        default: return answer
        }
    }
}
