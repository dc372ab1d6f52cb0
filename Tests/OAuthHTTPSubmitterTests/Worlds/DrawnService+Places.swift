import Submit
import SubmitHTTP

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

extension DrawnService {
    // MARK: Sessions

    func session(_ asked: Asked, _ memory: inout Memory) -> HTTPResponse {
        guard asked.words.count > 1 else {
            return made(&memory) { id, memory in
                memory.sessions[id] = Session()
                return object(201, ["id": .text(id)])
            }
        }
        let id = asked.words[1]
        // Its key tells what became of it, when it is no more.
        if asked.words.last == "end", let known = known(asked, &memory) { return known }
        guard let session = memory.sessions[id] else { return failure(404, word: "no_session") }
        if manners.contains(.sessionsShowLate), !session.hasBeenAsked {
            memory.sessions[id]?.hasBeenAsked = true
            return failure(404, word: "no_session")
        }
        let there = session.bytes.count
        switch (asked.method, asked.words.last) {
        case ("HEAD", _): return HTTPResponse(status: 200, headers: [("Offset", "\(there)")])
        case ("PATCH", _):
            if manners.contains(.losesSessions), !memory.hasLostSession, there > 0 || !session.pieces.isEmpty {
                memory.hasLostSession = true
                memory.sessions[id] = nil
                return failure(404, word: "no_session")
            }
            if features.resume == .saved {
                memory.sessions[id]?.pieces[Int(asked.headers["Index"] ?? "") ?? 0] = asked.body
                return HTTPResponse(status: 204)
            }
            guard asked.headers["Offset"] == "\(there)" else {
                return object(409, ["error": .map(["code": .text("offset"), "offset": .integer(Int64(there))])])
            }
            memory.sessions[id]?.bytes += asked.body
            return HTTPResponse(status: 204)
        default:
            let pieces = session.pieces.sorted { $0.key < $1.key }.flatMap(\.value)
            let bytes = features.resume == .saved ? pieces : session.bytes
            guard asked.query["size"] == "\(bytes.count)" else { return failure(422, word: "incomplete") }
            let answer = commit(bytes, asked, &memory)
            if answer.isRight || answer.status == 409 { memory.sessions[id] = nil }
            return answer
        }
    }

    // MARK: Albums

    func album(_ asked: Asked, _ memory: inout Memory) -> HTTPResponse {
        if asked.words.count == 4 {
            guard let place = memory.albums.firstIndex(where: { $0.id == asked.words[1] }),
                memory.items.contains(where: { $0.id == asked.words[3] && $0.isShown })
            else { return failure(404) }
            memory.albums[place].items.insert(asked.words[3])
            return HTTPResponse(status: 204)
        }
        if asked.method == "POST" {
            let album = asked.json
            let first = album.member(.text("item")).asText
            if features.albums == .madeWithItem, !memory.items.contains(where: { $0.id == first && $0.isShown }) {
                return failure(422, word: "no_item")
            }
            memory.albums.append(
                ("a\(memory.albums.count)", album.member(.text("title")).asText ?? "", Set([first].compactMap { $0 })))
            return object(201, ["id": .text(memory.albums.last!.id)])
        }
        // Two a page.
        let page = features.pages == .none ? 0 : Int(asked.query["page"] ?? "0") ?? 0
        let rest = memory.albums.dropFirst(page * 2)
        let shown = features.pages == .none ? rest : rest.prefix(2)
        var members: [String: RecipeValue] = [
            "albums": .list(shown.map { .map(["id": .text($0.id), "title": .text($0.title)]) })
        ]
        if features.pages == .token, rest.count > 2 { members["next"] = .text("\(page + 1)") }
        let link = ("Link", "<\(FakeService.url)/albums?page=\(page + 1)>; rel=\"next\"")
        return object(200, members, features.pages == .link && rest.count > 2 ? [link] : [])
    }

    // MARK: Failures

    /// As it tells that something went wrong.
    func failure(
        _ status: Int, _ headers: [(name: String, value: String)] = [], word: String? = nil
    ) -> HTTPResponse {
        if status == 404, manners.contains(.pagesNotFound), word == nil {
            return HTTPResponse(
                status: 404, headers: [("Content-Type", "text/html")],
                body: Array("<html><body>Not found</body></html>".utf8))
        }
        let key = manners.contains(.saysSecrets) ? " The key was \(Self.key)." : ""
        let error: [String: RecipeValue] = [
            "code": .text(word ?? "\(status)"), "message": .text("It went wrong (\(word ?? "\(status)")).\(key)"),
        ]
        return object(manners.contains(.errorsInside) ? 200 : status, ["error": .map(error)], headers)
    }

    var noRoom: HTTPResponse { failure(manners.contains(.fullBy400) ? 400 : 403, word: "no_room") }

    /// Where it wants to be asked less often.
    func patience() -> HTTPResponse? {
        if manners.contains(.throttles) { return failure(429, [("Retry-After", "11")]) }
        if manners.contains(.throttlesUntil) {
            let date = ServiceTime.iso8601(clock.now.seconds + 11).replacing("Z", with: ".000000Z")
            return failure(429, [("X-RateLimit-Reset", date)])
        }
        if manners.contains(.throttlesInBody) {
            return object(429, ["error": .map(["code": .text("429"), "retry_after": .integer(11)])])
        }
        if manners.contains(.throttlesBy403) { return failure(403, word: "too_fast") }
        return nil
    }
}
