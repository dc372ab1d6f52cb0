internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Submit
internal import SubmitReceiving
internal import SubmitStore

/// Takes files from LocalSend's apps, by their protocol 2.1. It has a listener and rules of its own: no cookie, no page.
struct LocalSendResponder: HTTPResponder {
    let reception: Reception
    let requestGuard: RequestGuard
    let desk: LocalSendDesk
    /// Who we say we are.
    let device: LocalSendMessages.Device
    /// An invite that never was shown: its secret lets whoever has the PIN in.
    let invite: FreshInvite
    let log: @Sendable (AccessLine) -> Void
    let onClaim: @Sendable (ReceivingSession) -> Void

    static let port = 53317
    private static let longest = 2 << 20

    func respond(to request: Request, context: WebContext) async throws -> Response {
        let begun = ContinuousClock.now
        var response: Response
        do throws(WebRefusal) {
            if let refusal = requestGuard.refusal(request.head) { throw refusal }
            response = try await answer(request, context.address)
        } catch {
            response = .json(["message": error.message], error.status, error.fields)
        }
        StrictHeaders.add(to: &response.headers)
        log(
            AccessLine(
                method: request.method.rawValue, route: nil, status: Int(response.status.code),
                address: context.address, time: .now - begun))
        return response
    }

    private func answer(_ request: Request, _ address: String) async throws(WebRefusal) -> Response {
        let query = Self.query(request.head.path ?? "")
        switch (request.method, (request.head.path ?? "").prefix { $0 != "?" }) {
        case (.get, "/api/localsend/v2/info"), (.get, "/api/localsend/v1/info"),
            (.post, "/api/localsend/v2/register"):
            return .json(device)
        case (.post, "/api/localsend/v2/prepare-upload"): return try await prepare(request, address, query)
        case (.post, "/api/localsend/v2/upload"): return try await upload(request, address, query)
        case (.post, "/api/localsend/v2/cancel"):
            desk.cancel(query["sessionId"], from: address)
            return .empty(.ok)
        default: throw WebRefusal(.notFound, "nothing-here", "There is nothing here.")
        }
    }

    private func prepare(
        _ request: Request, _ address: String, _ query: [String: String]
    ) async throws(WebRefusal) -> Response {
        try desk.check(query["pin"], from: address)
        if desk.isBusy { throw LocalSendDesk.busy }
        let inquiry = Inquiry(request: request, route: .offer, arguments: [], address: address, session: nil)
        let bytes = try await inquiry.wholeBody(atMost: Self.longest)
        // Their page says that it is plain text.
        guard
            let preparation = try? JSONDecoder().decode(LocalSendMessages.Preparation.self, from: Data(bytes)),
            !preparation.files.isEmpty
        else { throw WebRefusal(.badRequest, "message", "The request is not written as the protocol says.") }
        let fresh = try await asking { () async throws(ReceivingRefusal) in
            try await reception.claim(
                invite.id, secret: invite.secret, address: address, device: preparation.info.alias)
        }
        let session = fresh.session
        if session.state == .open { onClaim(session) }
        let files = preparation.files.sorted { $0.key < $1.key }
        let offers = files.map { Self.offer($0.value) }
        let answers = try await asking { () async throws(ReceivingRefusal) in
            try await reception.offer(offers, session: session)
        }
        var wanted: [String: FileOffer] = [:]
        var refused: ReceivingRefusal?
        for ((id, _), (offer, answer)) in zip(files.map { ($0.key, ()) }, zip(offers, answers)) {
            switch answer {
            case .want: wanted[id] = offer
            case .have: break
            case .refuse(let refusal): refused = refusal
            }
        }
        guard !wanted.isEmpty else {
            if let refused { throw WebRefusal(.forbidden, refused.code, refused.message) }
            return .empty(.noContent)
        }
        let transfer = try desk.begin(wanted, session, from: address)
        return .json(LocalSendMessages.Prepared(sessionId: transfer.id, files: transfer.files.mapValues(\.token)))
    }

    private func upload(
        _ request: Request, _ address: String, _ query: [String: String]
    ) async throws(WebRefusal) -> Response {
        let (session, offer) = try desk.enter(query["sessionId"], query["fileId"], query["token"], from: address)
        defer { desk.leave(query["sessionId"] ?? "") }
        _ = try await WholeUpload(reception: reception, session: session).take(offer, PacedBody(request.body))
        desk.finish(query["sessionId"] ?? "", query["fileId"] ?? "")
        return .empty(.ok)
    }

    private static func offer(_ file: LocalSendMessages.File) -> FileOffer {
        FileOffer(
            name: file.fileName, length: file.size, sha256: file.sha256.flatMap { Hexadecimal.bytes(of: $0) },
            modified: file.metadata?.modified.flatMap(LocalSendMessages.milliseconds)
                .flatMap(Timestamp.init(milliseconds:)),
            type: file.fileType)
    }

    private static func query(_ path: String) -> [String: String] {
        guard let mark = path.firstIndex(of: "?") else { return [:] }
        var values: [String: String] = [:]
        for pair in path[path.index(after: mark)...].split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1)
            if sides.count == 2 { values[String(sides[0])] = sides[1].removingPercentEncoding }
        }
        return values
    }
}
