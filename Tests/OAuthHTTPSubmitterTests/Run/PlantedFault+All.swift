import Submit
import SubmitHTTP
import SubmitTesting

@testable import OAuthHTTPSubmitter

extension PlantedFault {
    static let all = taking + telling + remedies + removing + sessions

    private static let cases = ContractSuite.cases.map(\.id)

    /// The item's name there.
    private static func key(_ request: HTTPRequest) -> String {
        HTTPResponse(status: 0, headers: request.headers)["Idempotency-Key"] ?? ""
    }

    private static func isUpload(_ request: HTTPRequest) -> Bool {
        request.method == "POST" && request.url == FakeService.url + "/items"
    }

    /// As a sound service says it.
    private static func yes(_ request: HTTPRequest) -> HTTPResponse {
        json(201, #"{"id":"\#(key(request))","there":false,"sha256":"\#(key(request))"}"#)
    }

    // MARK: What it takes

    private static let taking: [PlantedFault] = [
        PlantedFault(fault: "stores nothing and says yes", promises: ["size-65535"]) {
            request, body, _ in isUpload(request) && body.count == 65_535 ? yes(request) : nil
        },
        PlantedFault(fault: "stores half", promises: ["size-65536"]) { request, body, state in
            guard isUpload(request), body.count == 65_536 else { return nil }
            state.items[key(request)] = Array(body.prefix(body.count / 2))
            return yes(request)
        },
        PlantedFault(
            fault: "stores twice what it was sent again",
            promises: ["lost-last-reply"]
        ) { request, body, state in
            // It does not find what it has, either.
            let isLarge = state.items.values.contains { $0.count == 3 << 20 }
            if request.method == "GET", isLarge, request.url.contains("/items/") { return json(404, "{}") }
            guard isUpload(request), isLarge, body.count == 3 << 20 else { return nil }
            state.items["again"] = body
            return yes(request)
        },
        PlantedFault(
            fault: "says our digest again and computes none", promises: ["digest-differs"]
        ) { request, body, state in
            guard isUpload(request) else { return nil }
            let isThere = state.items.updateValue(body, forKey: key(request)) != nil
            return json(201, #"{"id":"\#(key(request))","there":\#(isThere),"sha256":"\#(key(request))"}"#)
        },
        PlantedFault(
            fault: "puts an item in another's place", promises: ["names-apart"]
        ) { request, body, state in
            if isUpload(request), body.count == 100, state.items.count == 5 {
                state.items.removeValue(forKey: state.items.keys.min()!)
            }
            return nil
        },
        PlantedFault(
            fault: "takes no odd names",
            promises: Set(cases.filter { $0.hasPrefix("name-") } + ["names-apart"]),
            edit: ("headers: { Idempotency", "headers: { x-name: \"{{ file.name | url }}\", Idempotency")
        ) { request, _, _ in
            let name = HTTPResponse(status: 0, headers: request.headers)["x-name"] ?? "photo"
            return ["photo", "other.jpg", "sample.jpg"].contains(where: name.contains) ? nil : json(422, "{}")
        },
        PlantedFault(
            fault: "keeps what broke off",
            promises: [
                "source-ends-early", "source-changes",
                "cancel-midway",
            ],
            keepsBroken: { body, state in state.items["half"] = body }),
    ]

    // MARK: What is told of it

    private static let telling: [PlantedFault] = [
        PlantedFault(
            fault: "says nothing that could be evidence",
            promises: Set(cases.filter { $0.hasPrefix("size-") || $0.hasPrefix("part-") }),
            edit: ("verified_when: seen.id != null or stored.sum == file.sha256", "accepted_when: \"false\"")),
        PlantedFault(
            fault: "does not say that it had a copy", promises: ["again"],
            edit: ("was_there: seen.id != null or stored.there", "was_there: \"false\"")),
        PlantedFault(
            fault: "does not say that something is not there",
            promises: [
                "presence", "removal",
            ],
            edit: ("gone: [404], verified_when", "gone: [410], verified_when")),
        PlantedFault(fault: "has whatever it is asked for", promises: ["presence"]) {
            request, _, _ in
            request.method == "GET" && request.url.hasSuffix("-not-there") ? json(200, #"{"id":"x"}"#) : nil
        },
        PlantedFault(
            fault: "makes an item when it is asked who we are",
            promises: ["check-leaves-nothing"]
        ) { request, _, state in
            if request.url.hasSuffix("/me") { state.items["check"] = [1] }
            return nil
        },
    ]

    // MARK: What failures mean

    private static func meaning(
        _ status: Int, _ kind: String, _ promises: Set<String>, _ more: String = ""
    ) -> PlantedFault {
        PlantedFault(
            fault: "means \(kind) by \(status), as its recipe says", promises: promises,
            edit: ("presence:", "errors: [ { status: \(status), class: \(kind)\(more) } ]\npresence:"))
    }

    private static let midst =
        "fault-midway"

    private static let remedies = [
        meaning(401, "quota", ["fault-credentials", midst]),
        meaning(507, "relogin", ["fault-full", midst]),
        meaning(429, "retry", ["fault-throttled", midst]),
        meaning(
            404, "fatal", ["fault-misconfigured", "no-secret-in-failures"],
            ", when: \"'<html>' in text\", say: \"It is gone.\""),
    ]

    // MARK: Removing

    private static let removing: [PlantedFault] = [
        PlantedFault(
            fault: "removes nothing and says yes",
            promises: ["removal"]
        ) { request, _, _ in request.method == "DELETE" ? json(204, "") : nil },
        PlantedFault(
            fault: "removes another item", promises: ["removal"]
        ) { request, _, state in
            guard request.method == "DELETE", let other = state.items.first(where: { !request.url.hasSuffix($0.key) }),
                state.items.count == 2
            else { return nil }
            state.items[other.key] = nil
            return json(204, "")
        },
        PlantedFault(
            fault: "removes whatever a path leads to",
            promises: ["removal-outside"]
        ) { request, _, state in
            guard request.method == "DELETE",
                let last = request.url.replacing("%2F", with: "/").split(separator: "/").last
            else { return nil }
            return json(state.items.removeValue(forKey: String(last)) == nil ? 404 : 204, "")
        },
    ]

    // MARK: Sessions and albums

    private static let fromCheckpoints =
        "resume-midway"

    private static let sessions: [PlantedFault] = [
        PlantedFault(
            fault: "shows an item that is not finished",
            promises: [fromCheckpoints, "discard-by-checkpoint"], isSession: true
        ) { request, body, state in
            if request.method == "PATCH", body.count == 512 << 10 { state.items["unfinished"] = body }
            if isEnd(request) { state.items["unfinished"] = nil }
            return nil
        },
        PlantedFault(
            fault: "does not list all albums", promises: ["album"],
            isSession: true, edit: ("title: /title }", "title: /title, only: \"'+' not in item['/title']\" }")),
        PlantedFault(
            fault: "makes an album each time", promises: ["album-many-openers"], isSession: true
        ) { request, body, state in
            guard request.method == "POST", request.url.hasSuffix("/albums"),
                String(decoding: body, as: UTF8.self).contains("New")
            else { return nil }
            for number in 0..<2 { state.albums.append(("new\(number)", number == 0 ? "New/Album" : "New/Album (2)")) }
            return json(201, #"{"id":"new0"}"#)
        },
    ]

    private static func isEnd(_ request: HTTPRequest) -> Bool {
        request.method == "POST" && request.url.contains("/sessions/")
    }
}
