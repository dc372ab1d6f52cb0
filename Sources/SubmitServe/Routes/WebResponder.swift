internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import Submit
internal import SubmitReceiving
internal import SubmitStore

/// Answers every request: first what it has to be like, then who may ask, then the dialect.
struct WebResponder: HTTPResponder {
    let reception: Reception
    let requestGuard: RequestGuard
    let token: SessionToken
    let page: Page
    /// Gets one line a request, in which no path, query or field of it stands.
    let log: @Sendable (AccessLine) -> Void
    /// Somebody has come in.
    let onClaim: @Sendable (ReceivingSession) -> Void
    let onLock: @Sendable (InviteID) -> Void
    private let load = SessionLoad()

    init(
        reception: Reception, requestGuard: RequestGuard, isSecure: Bool, page: Page = Page(),
        log: @escaping @Sendable (AccessLine) -> Void = { _ in },
        onClaim: @escaping @Sendable (ReceivingSession) -> Void = { _ in },
        onLock: @escaping @Sendable (InviteID) -> Void = { _ in }
    ) {
        self.reception = reception
        self.requestGuard = requestGuard
        token = SessionToken(isSecure: isSecure)
        self.page = page
        self.log = log
        self.onClaim = onClaim
        self.onLock = onLock
    }

    func respond(to request: Request, context: WebContext) async throws -> Response {
        await answer(request, from: context.address)
    }

    func answer(_ request: Request, from address: String) async -> Response {
        let begun = ContinuousClock.now
        var route: WebRoute?
        var response: Response
        do throws(WebRefusal) {
            response = try await answer(request, address, &route)
        } catch {
            response = route == .form || route == .sendForm ? page.refusal(error) : Response(error)
        }
        StrictHeaders.add(to: &response.headers)
        if let route, TusDialect.isSpoken(by: route) { TusDialect.mark(&response.headers) }
        if request.method == .head { response.body = ResponseBody() }
        log(
            AccessLine(
                method: request.method.rawValue, route: route, status: Int(response.status.code), address: address,
                time: .now - begun))
        return response
    }

    private func answer(
        _ request: Request, _ address: String, _ route: inout WebRoute?
    ) async throws(WebRefusal) -> Response {
        if let refusal = requestGuard.refusal(request.head) { throw refusal }
        let path = (request.head.path ?? "").prefix { $0 != "?" }
        let row: RouteRow
        let arguments: [Substring]
        switch RouteMatch(method(of: request, path), path) {
        case .route(let found, let rest): (row, arguments) = (found, rest)
        case .otherMethod(let allowed):
            throw WebRefusal(
                .methodNotAllowed, "method", "This cannot be done here.",
                fields: [.allow: allowed.map(\.rawValue).joined(separator: ", ")])
        case .nothing: throw WebRefusal(.notFound, "nothing-here", "There is nothing here.")
        }
        route = row.route
        try TusDialect.check(row.route, request.headers)
        let session = row.role == .anyone ? nil : try await session(request, row.role)
        let inquiry = Inquiry(
            request: request, route: row.route, arguments: arguments, address: address, session: session)
        guard let session else { return try await open(inquiry) }
        return try await answer(inquiry, session)
    }

    /// Some ways to us let only GET and POST through.
    private func method(of request: Request, _ path: Substring) -> HTTPRequest.Method {
        guard request.method == .post, path.hasPrefix("/files/"),
            let text = request.headers[.methodOverride], let method = HTTPRequest.Method(rawValue: text),
            [.patch, .delete].contains(method)
        else { return request.method }
        return method
    }

    private func session(_ request: Request, _ role: RequestRole) async throws(WebRefusal) -> ReceivingSession {
        var session: ReceivingSession?
        var standing = SessionStanding.stranger
        if let text = token.find(in: request.headers) {
            do throws(ReceivingRefusal) {
                let found = try await reception.session(token: text)
                (session, standing) = (found, SessionStanding(found))
            } catch {
                guard let known = SessionStanding(error) else { throw WebRefusal(error) }
                standing = known
            }
        }
        if var refusal = standing.refusal(as: role) {
            if standing != .stranger { refusal.fields[.setCookie] = standing == .unknown ? token.forgetting : nil }
            throw refusal
        }
        guard let session else { throw WebRefusal(.unauthorized, "no-session", "Scan the code at the computer.") }
        return session
    }

    /// What anyone may ask.
    private func open(_ inquiry: Inquiry) async throws(WebRefusal) -> Response {
        switch inquiry.route {
        case .page: page.start(inquiry)
        case .asset: try page.asset(inquiry)
        case .options: TusDialect(reception: reception).options()
        case .claim:
            try await Claiming(reception: reception, token: token, onClaim: onClaim, onLock: onLock).claim(inquiry)
        default: throw WebRefusal(.internalServerError, "role", "This cannot be asked without a session.")
        }
    }

    private func answer(_ inquiry: Inquiry, _ session: ReceivingSession) async throws(WebRefusal) -> Response {
        let tus = TusDialect(reception: reception)
        switch inquiry.route {
        case .page, .asset, .options, .claim: return try await open(inquiry)
        case .leave:
            try await asking { () async throws(ReceivingRefusal) in try await reception.end(session.id) }
            return .empty(.noContent, [.setCookie: token.forgetting])
        case .status: return .json(try await report(session))
        case .events: return try Events(reception: reception, load: load).stream(inquiry, session)
        case .offer: return try await Offering(reception: reception).offer(inquiry, session)
        case .head: return try await tus.head(inquiry, session)
        case .terminate: return try await tus.terminate(inquiry, session)
        case .create:
            return try await load.during(.upload, of: session.id) { () async throws(WebRefusal) in
                try await tus.create(inquiry, session)
            }
        case .patch:
            return try await load.during(.upload, of: session.id) { () async throws(WebRefusal) in
                try await tus.patch(inquiry, session)
            }
        case .put:
            return try await load.during(.upload, of: session.id) { () async throws(WebRefusal) in
                try await PlainPut(reception: reception).put(inquiry, session)
            }
        case .form: return page.form(try await report(session))
        case .sendForm:
            let outcome = try await load.during(.upload, of: session.id) { () async throws(WebRefusal) in
                try await FormUpload(reception: reception).take(inquiry, session)
            }
            return page.form(try await report(session), outcome)
        }
    }

    private func report(_ session: ReceivingSession) async throws(WebRefusal) -> SessionReport {
        try await asking { () async throws(ReceivingRefusal) in
            SessionReport(
                session, try await reception.terms(of: session), try await reception.status(of: session))
        }
    }
}

/// What is written down of a request: nothing that it brought but its method.
struct AccessLine: Sendable, CustomStringConvertible {
    let method: String
    /// `nil`: it asked for nothing that there is.
    let route: WebRoute?
    let status: Int
    let address: String
    let time: Duration

    var description: String {
        let method = method.count <= 8 && method.allSatisfy { $0.isASCII && $0.isLetter } ? method : "?"
        let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
        return "\(address) \(method) \(route?.rawValue ?? "-") \(status) \(milliseconds) ms"
    }
}

/// Where a request comes from.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let address: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address = source.channel.remoteAddress?.ipAddress ?? "unknown"
    }
}
