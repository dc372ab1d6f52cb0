import Foundation
import Submit
import SubmitHTTP

@testable import OAuthHTTPSubmitter
@testable import SubmitRecipes

extension DrawnService {
    // MARK: Taking items

    /// The answer to a repetition that its key gives away.
    func known(_ asked: Asked, _ memory: inout Memory) -> HTTPResponse? {
        guard features.means == .key, let key = asked.headers["Idempotency-Key"], let known = memory.keys[key]
        else { return nil }
        if manners.contains(.forgetsKeys), clock.now.seconds - known.since >= 600 { return nil }
        guard !manners.contains(.refusesUsedKeys), !manners.contains(.burnsKeys), let item = known.item else {
            return failure(400, word: "duplicate_key")
        }
        return told(item, memory)
    }

    /// Makes an item of bytes, unless it must not.
    func commit(_ bytes: [UInt8], _ asked: Asked, _ memory: inout Memory) -> HTTPResponse {
        if let known = known(asked, &memory) { return known }
        if let until = memory.fullUntil, clock.now.seconds < until { return noRoom }
        if let item = memory.items.firstIndex(where: { $0.sent == bytes && $0.isKnown }), foldsBytes {
            if manners.contains(.namesDuplicates) { return told(item, memory, status: 409) }
            if manners.contains(.hidesDuplicates) { return failure(403, word: "duplicate") }
            return told(item, memory)
        }
        if manners.contains(.dropsSilently) {
            return made(&memory) { id, _ in said(201, ["id": .text(id)], "/photos/\(id)") }
        }
        let item = add(bytes, tag: asked.query["tag"], key: asked.headers["Idempotency-Key"], &memory)
        if let album = asked.query["album"] {
            let place = memory.albums.firstIndex { $0.title == album } ?? memory.albums.count
            if place == memory.albums.count { memory.albums.append(("a\(place)", album, [])) }
            memory.albums[place].items.insert(memory.items[item].id)
        }
        if manners.contains(.refusesAfterStoring), item % 2 == 0 { return failure(400, word: "bad_terms") }
        return told(item, memory)
    }

    /// The same bytes are one item.
    var foldsBytes: Bool {
        features.means == .bytes || manners.contains(.namesDuplicates) || manners.contains(.hidesDuplicates)
    }

    private var works: Bool { manners.contains { [.processes, .failsLater, .neverReady].contains($0) } }

    func add(_ bytes: [UInt8], tag: String?, key: String?, _ memory: inout Memory) -> Int {
        let index = memory.items.count
        let id = manners.contains(.numericIDs) ? "\(9_007_199_254_740_993 + index)" : "p\(index)"
        let kept = manners.contains(.reencodes) ? bytes.dropLast(bytes.count / 3) + [1] : bytes
        memory.items.append(
            Item(
                id: id, sent: bytes, kept: Array(kept), tag: tag, key: key, since: clock.now.seconds,
                state: works ? .processing(asked: 0) : .shown))
        if let key { memory.keys[key] = (index, clock.now.seconds) }
        if manners.contains(.fullBy400) || manners.contains(.fullBy403), memory.fullUntil == nil {
            memory.fullUntil = clock.now.seconds + 3600
        }
        return index
    }

    // MARK: Saying what was made

    /// What it says of an item that it was given.
    func told(_ index: Int, _ memory: Memory, status: Int? = nil) -> HTTPResponse {
        let item = memory.items[index]
        let job = "/jobs/j\(index)"
        guard item.isShown else { return said(202, ["job": .text("j\(index)")], job) }
        return said(status ?? 201, facts(item), works ? job : "/photos/\(item.id)")
    }

    private func said(_ status: Int, _ members: [String: RecipeValue], _ place: String) -> HTTPResponse {
        switch features.answer {
        case .json: return object(status, members)
        case .xml:
            let elements = members.sorted { $0.key < $1.key }.map { "<\($0.key)>\($0.value.asText ?? "")</\($0.key)>" }
            return HTTPResponse(
                status: status, headers: [("Content-Type", "text/xml")],
                body: Array("<?xml version=\"1.0\"?>\n<rsp stat=\"ok\">\(elements.joined())</rsp>".utf8))
        case .location: return HTTPResponse(status: status, headers: [("Location", place)])
        case .seeOther:
            return HTTPResponse(status: status == 409 ? 409 : 303, headers: [("Location", FakeService.url + place)])
        }
    }

    func facts(_ item: Item) -> [String: RecipeValue] {
        var members: [String: RecipeValue] = ["id": idValue(item.id), "tag": RecipeValue(item.tag)]
        switch features.telling {
        case .nothing: break
        case .digest: members["sum"] = .text(Hexadecimal.text(of: SmallDigest.sha256(item.kept)))
        case .echo: members["sum"] = .text(Hexadecimal.text(of: SmallDigest.sha256(item.sent)))
        case .size: members["size"] = .integer(Int64(item.kept.count))
        }
        return members.filter { $0.value != .null }
    }

    private func idValue(_ id: String) -> RecipeValue {
        manners.contains(.numericIDs) ? Int64(id).map(RecipeValue.integer) ?? .text(id) : .text(id)
    }

    func object(_ status: Int, _ members: [String: RecipeValue], _ headers: [(name: String, value: String)] = [])
        -> HTTPResponse
    {
        let mark: [UInt8] = manners.contains(.byteOrderMark) ? [0xef, 0xbb, 0xbf] : []
        let type = manners.contains(.saysText) ? "text/plain;charset=UTF-8" : "application/json"
        return HTTPResponse(
            status: status, headers: headers + [("Content-Type", type)], body: mark + JSONText.write(.map(members)))
    }

    // MARK: Asking for items

    func photos(_ asked: Asked, _ memory: inout Memory) -> HTTPResponse {
        guard asked.words.count > 1 else {
            if asked.method == "POST" { return commit(asked.file, asked, &memory) }
            let late: Int64 = manners.contains(.showsLate) ? 20 : 0
            let found = memory.items.indices.filter { index in
                let item = memory.items[index]
                guard item.isKnown, clock.now.seconds - item.since >= late else { return false }
                if let sum = asked.query["sha256"] {
                    return item.isShown && Hexadecimal.text(of: SmallDigest.sha256(item.sent)) == sum
                }
                return asked.query["tag"] == nil || item.tag == asked.query["tag"]
            }
            return object(200, ["photos": .list(found.reversed().map { .map(entry($0, memory)) })])
        }
        guard let index = memory.items.firstIndex(where: { $0.id == asked.words[1] && $0.isShown }) else {
            return failure(404)
        }
        if asked.method == "DELETE" {
            memory.items[index].state = .removed
            return HTTPResponse(status: 204)
        }
        return object(200, facts(memory.items[index]))
    }

    private func entry(_ index: Int, _ memory: Memory) -> [String: RecipeValue] {
        let item = memory.items[index]
        guard !item.isShown else { return facts(item) }
        return ["job": .text("j\(index)"), "tag": RecipeValue(item.tag)]
    }

    func job(_ name: String, _ memory: inout Memory) -> HTTPResponse {
        guard let index = Int(name.dropFirst()), memory.items.indices.contains(index) else { return failure(404) }
        if case .processing(let asked) = memory.items[index].state {
            memory.items[index].state = .processing(asked: asked + 1)
            if manners.contains(.neverReady), index % 2 == 0 {
            } else if asked >= 2 {
                memory.items[index].state = manners.contains(.failsLater) && index % 2 == 0 ? .failed : .shown
            }
        }
        switch memory.items[index].state {
        case .processing: return object(200, ["state": .text("working")])
        case .failed: return object(200, ["state": .text("failed")])
        case .shown: return object(200, facts(memory.items[index]).merging(["state": .text("done")]) { $1 })
        case .removed: return failure(404)
        }
    }
}

extension DrawnService.Item {
    /// It counts where the same bytes come again.
    fileprivate var isKnown: Bool {
        switch state {
        case .processing, .shown: true
        case .failed, .removed: false
        }
    }
}
