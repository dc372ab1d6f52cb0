internal import HTTPTypes

/// What can be asked for. Everything else is not there.
enum WebRoute: String, Sendable, CaseIterable {
    case page, asset, claim, leave, status, events, offer
    case options, create, head, patch, terminate
    case put, form, sendForm
}

/// Who may ask.
enum RequestRole: Sendable, CaseIterable {
    case anyone
    /// Whoever has a session, confirmed or not.
    case guest
    /// Whoever has one that is confirmed.
    case sender
}

/// All routes with who may ask, in one table: what is not a row is refused.
struct RouteRow: Sendable {
    let route: WebRoute
    let method: HTTPRequest.Method
    /// Segments; `*` is one of any, and `**` all that remain.
    let pattern: [Substring]
    let role: RequestRole

    private init(_ route: WebRoute, _ method: HTTPRequest.Method, _ pattern: String, _ role: RequestRole) {
        self.route = route
        self.method = method
        self.pattern = Self.segments(pattern[...])
        self.role = role
    }

    static let table = [
        RouteRow(.page, .get, "/r/*", .anyone),
        RouteRow(.asset, .get, "/assets/*/*", .anyone),
        RouteRow(.claim, .post, "/r/*/claim", .anyone),
        RouteRow(.leave, .delete, "/session", .guest),
        RouteRow(.status, .get, "/status", .guest),
        RouteRow(.events, .get, "/events", .guest),
        RouteRow(.form, .get, "/form", .guest),
        RouteRow(.sendForm, .post, "/form", .sender),
        RouteRow(.offer, .post, "/offer", .sender),
        RouteRow(.put, .put, "/put/**", .sender),
        RouteRow(.options, .options, "/files", .anyone),
        RouteRow(.create, .post, "/files", .sender),
        RouteRow(.head, .head, "/files/*", .sender),
        RouteRow(.patch, .patch, "/files/*", .sender),
        RouteRow(.terminate, .delete, "/files/*", .sender),
    ]

    static func segments(_ path: Substring) -> [Substring] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }

    /// The segments that `*` and `**` stand for; `nil`: it is another path.
    func arguments(of path: [Substring]) -> [Substring]? {
        var arguments: [Substring] = []
        for (index, segment) in pattern.enumerated() {
            if segment == "**" { return path.count > index ? arguments + path[index...] : nil }
            guard index < path.count else { return nil }
            if segment == "*" {
                if path[index].isEmpty { return nil }
                arguments.append(path[index])
            } else if segment != path[index] {
                return nil
            }
        }
        return path.count == pattern.count ? arguments : nil
    }
}

/// What a request line asks for.
enum RouteMatch {
    case route(RouteRow, arguments: [Substring])
    case otherMethod(allowed: [HTTPRequest.Method])
    case nothing

    init(_ method: HTTPRequest.Method, _ path: Substring) {
        guard path.first == "/" else {
            self = .nothing
            return
        }
        let segments = RouteRow.segments(path)
        var allowed: [HTTPRequest.Method] = []
        for row in RouteRow.table {
            guard let arguments = row.arguments(of: segments) else { continue }
            if row.method == method {
                self = .route(row, arguments: arguments)
                return
            }
            allowed.append(row.method)
        }
        self = allowed.isEmpty ? .nothing : .otherMethod(allowed: allowed)
    }
}
