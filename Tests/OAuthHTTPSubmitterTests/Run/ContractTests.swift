import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A service in memory with items, albums and sessions, and the recipes of two ways to send to it.
final class Store: HTTPTransport {
    struct State {
        var items: [String: [UInt8]] = [:]
        var albums: [(id: String, title: String)] = []
        var sessions: [String: [UInt8]] = [:]
        var taken: Int64 = 0
        var fault: ContractFault?
        var count = 0
    }

    /// What such a service does wrong: the answer in place of the sound one, `nil` where all is well.
    typealias Wrong = @Sendable (HTTPRequest, [UInt8], inout State) -> HTTPResponse?

    let state = Locked(State())
    private let wrong: Wrong
    /// What it keeps of a body that broke off.
    private let keepsBroken: @Sendable ([UInt8], inout State) -> Void

    init(
        wrong: @escaping Wrong = { _, _, _ in nil },
        keepsBroken: @escaping @Sendable ([UInt8], inout State) -> Void = { _, _ in }
    ) {
        (self.wrong, self.keepsBroken) = (wrong, keepsBroken)
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        var body: [UInt8] = []
        do throws(SubmitFailure) {
            if case .media(let media, let range) = request.body {
                // Piece by piece, as a real transport reads.
                while Int64(body.count) < range.upperBound - range.lowerBound {
                    let start = range.lowerBound + Int64(body.count)
                    body += try media.bytes(in: start..<min(start + 262_144, range.upperBound))
                    if Task.isCancelled {
                        state.withLock { keepsBroken(body, &$0) }
                        throw .cancelled
                    }
                }
            } else {
                body = try request.body.contents()
            }
        } catch {
            state.withLock { keepsBroken(body, &$0) }
            throw error == .cancelled ? .cancelled : .body(error)
        }
        return try await answer(request, body)
    }

    private func answer(_ request: HTTPRequest, _ body: [UInt8]) async throws(HTTPFailure) -> HTTPResponse {
        request.sent?(Int64(body.count))
        await Task.yield()
        if Task.isCancelled { throw .cancelled }
        let (answer, isLost) = state.withLock { state -> (HTTPResponse?, Bool) in
            switch state.fault {
            case .unreachable: return (nil, false)
            case .refusesCredentials: return (json(401, "{}"), false)
            case .full: return (json(507, "{}"), false)
            case .throttled: return (json(429, "{}"), false)
            case .misconfigured:
                return (
                    HTTPResponse(status: 404, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8)),
                    false
                )
            case .losesReply, nil: break
            }
            let before = state.items.count
            let answer = wrong(request, body, &state) ?? Self.answer(request, body, &state)
            guard state.fault == .losesReply, state.items.count > before else { return (answer, false) }
            state.fault = nil
            return (answer, true)
        }
        guard let answer else { throw .cannotConnect("Connection refused") }
        if isLost { throw .broken("Connection reset by peer", afterBody: true) }
        return answer
    }

    private static func answer(_ request: HTTPRequest, _ body: [UInt8], _ state: inout State) -> HTTPResponse {
        let seen = HTTPResponse(status: 0, headers: request.headers)
        let path = request.url.dropFirst(FakeService.url.count).prefix { $0 != "?" }
        let words = path.split(separator: "/").map(String.init)
        func store(_ bytes: [UInt8]) -> HTTPResponse {
            guard Hexadecimal.text(of: SmallDigest.sha256(bytes)) == seen["x-sha256"] else { return json(422, "{}") }
            let id = seen["Idempotency-Key"] ?? ""
            let isThere = state.items[id] != nil
            state.items[id] = bytes
            let digest = Hexadecimal.text(of: SmallDigest.sha256(bytes))
            return json(201, "{\"id\":\"\(id)\",\"there\":\(isThere),\"sha256\":\"\(digest)\"}")
        }
        switch (request.method, words.first, words.count) {
        case ("GET", "me", 1): return json(200, "{\"name\":\"Ada\"}")
        case ("POST", "items", 1):
            state.taken += Int64(body.count)
            return store(body)
        case ("GET", "items", 2):
            return state.items[words[1]] == nil ? json(404, "{}") : json(200, "{\"id\":\"\(words[1])\"}")
        case ("DELETE", "items", 2): return json(state.items.removeValue(forKey: words[1]) == nil ? 404 : 204, "")
        case ("GET", "albums", 1):
            let shown = state.albums.map { RecipeValue.map(["id": .text($0.id), "title": .text($0.title)]) }
            return HTTPResponse(status: 200, headers: [], body: JSONText.write(.list(shown)))
        case ("POST", "albums", 1):
            state.albums.append(("a\(state.albums.count)", JSONText.read(body)?.member(.text("title")).asText ?? ""))
            return json(201, "{\"id\":\"\(state.albums.last!.id)\"}")
        case ("POST", "sessions", 1):
            state.count += 1
            state.sessions["s\(state.count)"] = []
            return json(201, "", [("Location", "/sessions/s\(state.count)")])
        case (_, "sessions", 2):
            guard let there = state.sessions[words[1]] else { return json(404, "{}") }
            switch request.method {
            case "HEAD": return json(200, "", [("Offset", "\(there.count)")])
            case "PATCH":
                guard seen["Offset"] == "\(there.count)" else { return json(409, "{}") }
                state.taken += Int64(body.count)
                state.sessions[words[1]]! += body
                return json(204, "")
            default:
                let answer = store(there)
                return answer
            }
        default: return json(200, "{}")
        }
    }

    static func recipe(isSession: Bool) -> String {
        let seen = """
              - id: seen
                request: { method: GET, url: "/items/{{ file.sha256 }}" }
                capture: { id: { json: /id, optional: true } }
                treat_as_ok: [ { status: 404 } ]

            """
        let steps =
            isSession
            ? """
              - id: start
                when: seen.id == null
                request: { method: POST, url: /sessions }
                capture: { url: { header: Location, secret: true } }
                repeat: safe
              - id: bytes
                when: seen.id == null
                request: { method: PATCH, url: "{{ start.url ?? '/none' }}", headers: { Offset: "{{ chunk.offset }}" }, body: { raw: range } }
                chunks: { size: 512KiB, most: 10000 }
                resume:
                  ask: { request: { method: HEAD, url: "{{ start.url ?? '/none' }}" }, capture: { offset: { header: Offset } } }
                  offset: bytes.offset
                  done_when: bytes.offset == file.size
                repeat: safe
              - id: stored
                when: seen.id == null
                request:
                  method: POST
                  url: "{{ start.url ?? '/none' }}"
                  headers: { Idempotency-Key: "{{ file.sha256 }}", x-sha256: "{{ file.sha256 }}" }
                capture: { id: { json: /id }, there: { json: /there }, sum: { json: /sha256 } }
                repeat: safe
            """
            : """
              - id: stored
                when: seen.id == null
                request:
                  method: POST
                  url: /items
                  headers: { Idempotency-Key: "{{ file.sha256 }}", x-sha256: "{{ file.sha256 }}" }
                  body: { raw: file }
                capture: { id: { json: /id }, there: { json: /there }, sum: { json: /sha256 } }
                repeat: safe
            """
        return """
            recipe: 1
            service: store
            title: Store
            summary: A store
            facts: { checked: 2026-11-21, sources: ["https://example.org/"], tested: "against a stand-in" }
            settings:
              server: { kind: url, summary: "Its address", required: true }
              api_key: { kind: secret, summary: "Its key" }
            hosts: ["{{ settings.server }}"]
            auth: { kind: header, name: x-key, value: "{{ secret.api_key }}" }
            limits: { kinds: [photo, video, other], parallel: 3, caption_max: 0 }
            identity: { request: { method: GET, url: /me }, capture: { name: { json: /name } } }
            upload:
            \((seen + steps).split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
            receipt:
              id: "{{ stored.id ?? seen.id ?? file.sha256 }}"
              was_there: seen.id != null or stored.there
              verified_when: seen.id != null or stored.sum == file.sha256
            presence: { request: { method: GET, url: "/items/{{ receipt.id }}" }, gone: [404], verified_when: "true" }
            \(isSession ? albums : "remove: { request: { method: DELETE, url: \"/items/{{ receipt.id }}\" }, gone: [404] }")
            """
    }

    /// Recipes do not say how albums are removed, so that nothing is where albums are.
    private static let albums = """
        albums:
          list: { request: { method: GET, url: /albums }, items: "", id: /id, title: /title }
          create:
            request: { method: POST, url: /albums, body: { json: { title: "{{ album.name }}" } } }
            capture: { id: { json: /id } }
          add: { request: { method: PUT, url: "/albums/{{ album.id }}/{{ receipt.id }}" } }
        """
}

struct StorePlace: HTTPContractPlace {
    let store: Store
    let wire: FaultyTransport
    let recipe: Recipe
    let written = RecordingNotes()
    let kept = TransientSecrets()

    init(store: Store = Store(), recipe: Recipe) {
        (self.store, self.recipe) = (store, recipe)
        wire = FaultyTransport(store)
    }

    func makeSubmitter() async throws(SubmitFailure) -> any Submitter {
        try RecipeSubmitter(
            recipe,
            DestinationSettings(
                destination: "shelf-\(ObjectIdentifier(store).hashValue)", values: ["server": FakeService.url],
                secrets: ["api_key": secrets[0]], notes: written, secretStore: kept),
            transport: wire)
    }

    func contents() async throws -> [String: [UInt8]] { store.state.withLock { $0.items } }

    func leftovers() async throws -> [String] { [] }

    func put(_ bytes: [UInt8], named name: String) async throws {
        throw NotTried(lacking: .otherWriter, "two items of one name are no trouble there")
    }

    var checksDigests: Bool { true }

    var secrets: [String] { ["xyzzy-plugh-42"] }

    func remove() async {}

    func submitter(meeting fault: ContractFault) async throws -> (any Submitter)? {
        store.state.withLock { $0.fault = fault }
        return try await makeSubmitter()
    }

    var bytesTaken: Int64? { store.state.withLock { $0.taken } }

    var partSize: Int64? { 512 << 10 }
}

struct StoreHarness: ContractHarness {
    let isSession: Bool

    func makePlace() async throws -> any ContractPlace {
        StorePlace(recipe: try Recipe(text: Store.recipe(isSession: isSession), path: "store.yaml"))
    }
}

@Suite
struct ContractTests {
    /// Two items of one name are no trouble there, and nothing is read back.
    private static let untried: Set<ContractRequirement> = [.otherWriter, .readback]

    @Test(arguments: ContractSuite.cases)
    func `a service that takes an item whole keeps the contract`(promise: ContractCase) async throws {
        try await promise.run(
            StoreHarness(isSession: false), leavingOut: Self.untried.union([.resuming, .albums]))
    }

    @Test(arguments: ContractSuite.cases)
    func `a service with sessions keeps the contract`(promise: ContractCase) async throws {
        try await promise.run(
            StoreHarness(isSession: true), leavingOut: Self.untried.union([.removal]))
    }
}

@Suite struct `Albums of a service whose list lags` {
    /// Each submitter is as a process of its own: it knows what the journal's notes say, and nothing else of the others.
    @Test func `become one, however many processes ask for it`() async throws {
        let lists = Locked(0)
        let store = Store(wrong: { request, _, _ in
            guard request.method == "GET", request.url.hasSuffix("/albums") else { return nil }
            return lists.withLock { count in
                count += 1
                return count <= 12 ? json(200, "[]") : nil
            }
        })
        let place = StorePlace(
            store: store, recipe: try Recipe(text: Store.recipe(isSession: true), path: "store.yaml"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 1...8 {
                group.addTask {
                    let bytes = ScriptedBytes(ScriptedBytes.content(count: 100, seed: UInt64(index)))
                    _ = try await place.makeSubmitter().submit(
                        bytes.item(named: "\(index).jpg"), bytes: bytes,
                        context: SubmissionContext(submission: "job-\(index)", album: "Harbour"))
                }
            }
            try await group.waitForAll()
        }
        #expect(store.state.withLock { $0.albums.map(\.title) } == ["Harbour"])
    }

    /// Another computer shares neither notes nor locks.
    @Test func `the older of two is used, and the receipt says so`() async throws {
        let urls = Locked<[String]>([])
        let store = Store(wrong: { request, _, state in
            urls.withLock { $0.append(request.url) }
            // It is created between our look and our request.
            if request.method == "POST", request.url.hasSuffix("/albums") { state.albums.append(("a0", "Harbour")) }
            return nil
        })
        let recipe = try Recipe(text: Store.recipe(isSession: true), path: "store.yaml")
        let place = StorePlace(store: store, recipe: recipe)
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 100))
        let receipt = try await place.makeSubmitter().submit(
            bytes.item(named: "1.jpg"), bytes: bytes, context: SubmissionContext(submission: "job-1", album: "Harbour"))
        #expect(store.state.withLock { $0.albums.map(\.id) } == ["a0", "a1"])
        #expect(receipt.note?.contains("has 2 albums called “Harbour”") == true)
        #expect(urls.withLock { $0 }.contains { $0.contains("/albums/a0/") })
    }
}
