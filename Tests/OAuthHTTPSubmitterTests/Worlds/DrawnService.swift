import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import TestServers

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

/// A service in memory, of some features and manners.
final class DrawnService: Sendable {
    struct Item {
        enum State {
            case processing(asked: Int)
            case failed, shown, removed
        }

        var id: String
        /// As they were sent, and as they are kept.
        var sent: [UInt8]
        var kept: [UInt8]
        var tag: String?
        var key: String?
        /// Seconds since 1970.
        var since: Int64
        var state: State
        /// Someone else's.
        var isTheirs = false

        var isShown: Bool { if case .shown = state { true } else { false } }
    }

    struct Session {
        var bytes: [UInt8] = []
        var hasBeenAsked = false
        var pieces: [Int: [UInt8]] = [:]
    }

    struct Memory {
        var items: [Item] = []
        var media: [String: [UInt8]] = [:]
        var drafts: [String: (bytes: [UInt8], item: Int?)] = [:]
        var sessions: [String: Session] = [:]
        /// The item, and when it was made.
        var keys: [String: (item: Int?, since: Int64)] = [:]
        var albums: [(id: String, title: String, items: Set<String>)] = []
        var fullUntil: Int64?
        var isSignedOut = false
        var hasLostSession = false
        var made = 0
        var asked = 0
    }

    let features: ServiceFeatures
    let manners: Set<ServiceManner>
    let clock: TestClock
    let memory: Locked<Memory>

    static let key = "hunter2-hunter2"

    init(_ features: ServiceFeatures, _ manners: Set<ServiceManner>, _ clock: TestClock) {
        (self.features, self.manners, self.clock) = (features, manners, clock)
        memory = Locked(Memory())
    }

    // MARK: With its own eyes

    /// What is or will be there.
    var items: [Item] {
        memory.withLock { $0.items.filter { if case .removed = $0.state { false } else { true } } }
    }

    var albums: [(id: String, title: String, items: Set<String>)] { memory.withLock { $0.albums } }

    /// As someone else does.
    func put(_ bytes: [UInt8]) {
        memory.withLock { memory in
            _ = add(bytes, tag: nil, key: nil, &memory)
            memory.items[memory.items.count - 1].state = .shown
            memory.items[memory.items.count - 1].isTheirs = true
            memory.items[memory.items.count - 1].since = 0
        }
    }

    func putAlbum(_ title: String) {
        memory.withLock { $0.albums.append(("a\($0.albums.count)", title, [])) }
    }

    func signOut() { memory.withLock { $0.isSignedOut = true } }

    func signIn() { memory.withLock { $0.isSignedOut = false } }

    // MARK: Requests

    struct Asked {
        var method: String
        var words: [String]
        var query: [String: String] = [:]
        var headers: HTTPResponse
        var body: [UInt8]

        init(_ request: HTTPRequest, _ body: [UInt8]) {
            let halves = request.url.dropFirst(FakeService.url.count).split(separator: "?", maxSplits: 1)
            (method, self.body) = (request.method, body)
            words = (halves.first ?? "").split(separator: "/").map(String.init)
            headers = HTTPResponse(status: 0, headers: request.headers)
            for field in WebForm.decode(halves.count > 1 ? String(halves[1]) : "") { query[field.name] = field.value }
        }

        var json: RecipeValue { JSONText.read(body) ?? .null }

        /// The file, alone or as a part.
        var file: [UInt8] {
            guard let type = headers["Content-Type"], let mark = type.range(of: "boundary=") else { return body }
            let data = Data(body)
            guard let head = data.range(of: Data("name=\"file\"".utf8)),
                let gap = data.range(of: Data("\r\n\r\n".utf8), in: head.upperBound..<data.endIndex),
                let end = data.range(
                    of: Data("\r\n--\(type[mark.upperBound...])".utf8), in: gap.upperBound..<data.endIndex)
            else { return body }
            return [UInt8](data[gap.upperBound..<end.lowerBound])
        }
    }

    func answer(_ request: HTTPRequest, _ body: [UInt8]) -> HTTPResponse {
        let asked = Asked(request, body)
        let (answer, count) = memory.withLock { memory -> (HTTPResponse, Int) in
            memory.asked += 1
            if memory.isSignedOut || asked.headers["x-key"] != Self.key { return (failure(401), memory.asked) }
            if Self.isTurn(memory.asked, of: 9), let answer = patience() { return (answer, memory.asked) }
            return (self.answer(asked, &memory), memory.asked)
        }
        guard manners.contains(.commentsAfter), asked.method == "GET", answer.status == 200, Self.isTurn(count, of: 5)
        else { return answer }
        var cached = answer
        cached.body += Array("\n<!-- Page cached by LiteSpeed Cache -->".utf8)
        return cached
    }

    /// One of so many requests, and no pattern that the requests of an attempt could have.
    private static func isTurn(_ request: Int, of count: Int) -> Bool {
        var numbers = SeededNumbers(seed: UInt64(request))
        return Int.random(in: 0..<count, using: &numbers) == 0
    }

    private func answer(_ asked: Asked, _ memory: inout Memory) -> HTTPResponse {
        switch (asked.words.first, asked.words.count) {
        case ("photos", _): photos(asked, &memory)
        case ("media", 1):
            made(&memory) { id, memory in
                memory.media[id] = asked.file
                return object(201, ["id": .text(id)])
            }
        case ("posts", 1): post(asked, &memory)
        case ("drafts", _): draft(asked, &memory)
        case ("sessions", _): session(asked, &memory)
        case ("jobs", 2): job(asked.words[1], &memory)
        case ("albums", _): album(asked, &memory)
        default: failure(404)
        }
    }

    func made(_ memory: inout Memory, _ body: (String, inout Memory) -> HTTPResponse) -> HTTPResponse {
        memory.made += 1
        return body("n\(memory.made)", &memory)
    }

    private func post(_ asked: Asked, _ memory: inout Memory) -> HTTPResponse {
        let id = asked.json.member(.text("media")).asText ?? ""
        if let known = known(asked, &memory) { return known }
        // What is in a post is in no other.
        guard let bytes = memory.media[id] else { return failure(422, word: "no_media") }
        let answer = commit(bytes, asked, &memory)
        if answer.isRight { memory.media[id] = nil }
        return answer
    }

    private func draft(_ asked: Asked, _ memory: inout Memory) -> HTTPResponse {
        guard asked.words.count > 1 else {
            return made(&memory) { id, memory in
                memory.drafts[id] = ([], nil)
                return object(201, ["id": .text(id)])
            }
        }
        guard let draft = memory.drafts[asked.words[1]] else { return failure(404) }
        if asked.words.last == "bytes" {
            memory.drafts[asked.words[1]]?.bytes = asked.file
            return HTTPResponse(status: 204)
        }
        if let item = draft.item { return told(item, memory) }
        let answer = commit(draft.bytes, asked, &memory)
        if let item = memory.items.indices.last, memory.items[item].sent == draft.bytes, !memory.items[item].isTheirs {
            memory.drafts[asked.words[1]]?.item = item
        }
        return answer
    }

    /// It was only half sent.
    func `break`(_ request: HTTPRequest, _ body: [UInt8]) {
        let asked = Asked(request, body)
        guard manners.contains(.keepsHalfPieces), asked.method == "PATCH", asked.words.first == "sessions" else {
            return
        }
        memory.withLock { memory in
            guard features.resume != .saved,
                asked.headers["Offset"] == "\(memory.sessions[asked.words[1]]?.bytes.count ?? -1)"
            else {
                return
            }
            memory.sessions[asked.words[1]]?.bytes += body.prefix(body.count / 2)
        }
    }

    /// It fails before it did anything that shows.
    func stumble(_ request: HTTPRequest) {
        guard manners.contains(.burnsKeys),
            let key = HTTPResponse(status: 0, headers: request.headers)["Idempotency-Key"]
        else {
            return
        }
        memory.withLock { $0.keys[key] = $0.keys[key] ?? (nil, clock.now.seconds) }
    }
}

extension HTTPResponse {
    /// No error, nor one inside.
    var isRight: Bool { (200...399).contains(status) && JSONText.read(body)?.member(.text("error")) ?? .null == .null }
}
