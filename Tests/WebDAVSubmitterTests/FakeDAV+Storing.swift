import Foundation
import Submit
import SubmitHTTP
import SubmitTesting

@testable import WebDAVSubmitter

extension FakeDAV {
    func put(
        _ path: [String], _ body: [UInt8], _ header: (String) -> String?, _ state: inout State
    ) -> HTTPResponse {
        if let refusal = refusal(toPut: path, header, state) { return refusal }
        if let limit = state.limit, Int64(body.count) > limit { return HTTPResponse(status: 413) }
        if Int64(body.count) > state.quota { return HTTPResponse(status: 507) }
        if manners.contains(.refusesEmpty), body.isEmpty { return HTTPResponse(status: 400) }
        let old = node(path, state)
        let isBeside = old != nil && manners.contains(.renamesUploads)
        let place = isBeside ? path.dropLast() + [Self.beside(path.last!)] : path
        guard let content = content(of: body, header, old: old) else { return HTTPResponse(status: 501) }
        state.taken += Int64(body.count)
        state.version += 1
        var new = Node(name: isBeside ? place.last! : old?.name ?? kept(path.last!), content: content)
        new.properties = old?.properties ?? [:]
        (new.version, new.stored) = (state.version, state.now)
        var headers: [(name: String, value: String)] = []
        if let etag = manners.contains(.tellsOldETag) ? oldETag(old, state.now) : etag(new, state.now) {
            headers.append(("ETag", etag))
        }
        if let time = header("X-OC-Mtime").flatMap({ Int64($0) }) {
            if manners.contains(.ocMtime) { new.modified = time }
            if manners.contains(.ocMtime) || manners.contains(.claimsMtime) {
                headers.append(("X-OC-MTime", "accepted"))
            }
        }
        let answer = HTTPResponse(status: old == nil || isBeside ? 201 : 204, headers: headers)
        return store(new, at: place, answer, &state)
    }

    /// What stands in the way of a PUT before its body comes.
    func refusal(toPut path: [String], _ header: (String) -> String?, _ state: State) -> HTTPResponse? {
        let old = node(path, state)
        if old?.isCollection ?? false { return HTTPResponse(status: 405) }
        guard node(Array(path.dropLast()), state)?.isCollection ?? false else { return HTTPResponse(status: 409) }
        let isUnwanted = header("If-None-Match") == "*" && old != nil && !manners.contains(.ignoresConditions)
        if isUnwanted || !matches(header("If-Match"), old, state) { return HTTPResponse(status: 412) }
        return nil
    }

    /// What is kept of a body; `nil` where it is a part, and none is taken.
    private func content(of body: [UInt8], _ header: (String) -> String?, old: Node?) -> [UInt8]? {
        var content = body
        if let range = header("Content-Range") {
            if manners.contains(.takesContentRange),
                let start = Int(range.dropFirst("bytes ".count).prefix { $0 != "-" })
            {
                let before = (old?.content ?? []).prefix(start)
                content = Array(before) + [UInt8](repeating: 0, count: start - before.count) + body
            } else if manners.contains(.growsToTotal),
                let start = Int(range.dropFirst("bytes ".count).prefix { $0 != "-" }),
                let total = range.split(separator: "/").last.flatMap({ Int($0) })
            {
                content = Array((old?.content ?? []).prefix(total))
                content += [UInt8](repeating: 0, count: total - content.count)
                content.replaceSubrange(start..<start + body.count, with: body)
            } else if !manners.contains(.keepsFragment) {
                return nil
            }
        }
        if manners.contains(.emptiesExpected), header("Expect") != nil { content = [] }
        // Only what is long: otherwise it would not be taken for a server at all.
        if manners.contains(.storesHalf), content.count > 100 { content = Array(content.prefix(content.count / 2)) }
        if manners.contains(.storesOthers), content.count > 100 { content = content.reversed() }
        return content
    }

    /// Stores it as soon, and as far, as the manners let it be.
    private func store(_ new: Node, at path: [String], _ answer: HTTPResponse, _ state: inout State) -> HTTPResponse {
        let (content, place, due) = (new.content ?? [], folded(path), state.now + Self.aWhile)
        if comes(.vetoesSilently, at: path, of: content, &state) { return HTTPResponse(status: 201) }
        if comes(.finishesLater504, at: path, of: content, &state) {
            state.closed[place] = due
            state.later.append(Later(due: due) { [self] in set(new, at: path, &$0) })
            return HTTPResponse(status: 504)
        }
        if comes(.writesInPlace, at: path, of: content, &state) {
            var torso = new
            torso.content = Array(content.prefix(content.count / 2))
            set(torso, at: path, &state)
            return HTTPResponse(status: 500)
        }
        set(new, at: path, &state)
        if comes(.appearsLater, at: path, of: content, &state) { state.unseen[place] = due }
        if comes(.processesLater, at: path, of: content, &state) { state.processed[place] = due }
        if comes(.vanishesLater, at: path, of: content, &state) {
            state.processed[place] = due
            state.later.append(
                Later(due: due) { [self] in if node(path, $0)?.version == new.version { set(nil, at: path, &$0) } })
        }
        return comes(.failsAfterStoring, at: path, of: content, &state) ? HTTPResponse(status: 503) : answer
    }

    private static func beside(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name + " (2)" }
        return name[..<dot] + " (2)" + name[dot...]
    }

    // MARK: Reading

    func head(ofCollection node: Node) -> HTTPResponse {
        if manners.contains(.headsFolders405) { return HTTPResponse(status: 405) }
        if manners.contains(.headsFolders403) { return HTTPResponse(status: 403) }
        let length = manners.contains(.headsFoldersAsFiles) ? [(name: "Content-Length", value: "4096")] : []
        return HTTPResponse(status: 200, headers: [("Content-Type", "text/plain")] + length)
    }

    func hand(out node: Node, _ request: HTTPRequest, _ range: String?, _ now: Int) -> HTTPResponse {
        let content = node.content ?? []
        var headers: [(name: String, value: String)] = etag(node, now).map { [("ETag", $0)] } ?? []
        headers.append(("Last-Modified", HTTPDate.format(Timestamp(nanoseconds: node.modified * 1_000_000_000))))
        headers.append(("Content-Type", "application/octet-stream"))
        if request.method == "HEAD" {
            let length = manners.contains(.headsNoLength) ? 0 : node.size
            return HTTPResponse(status: 200, headers: headers + [("Content-Length", "\(length)")])
        }
        guard !manners.contains(.ignoresRanges),
            let bounds = range?.dropFirst("bytes=".count).split(separator: "-").compactMap({ Int($0) }),
            bounds.count == 2
        else { return HTTPResponse(status: 200, headers: headers, body: content) }
        guard bounds[0] < content.count else { return HTTPResponse(status: 416) }
        let piece = content[bounds[0]...min(bounds[1], content.count - 1)]
        return HTTPResponse(
            status: 206, headers: headers, body: Array(manners.contains(.cutsRanges) ? piece.dropLast() : piece))
    }

    func etag(_ node: Node, _ now: Int) -> String? {
        if manners.contains(.noETags) || node.isCollection { return nil }
        if manners.contains(.md5ETags) {
            return "\"\(ScriptedBytes(node.content ?? []).item(named: "x").digests.hexadecimal(.md5)!)\""
        }
        if manners.contains(.coarseETags) { return "\"\(node.size)\"" }
        let isWeak = manners.contains(.weakETags) || manners.contains(.ripensETags) && now < node.stored + Self.aWhile
        return (isWeak ? "W/" : "") + "\"\(node.stale?.version ?? node.version)-\(node.size)\""
    }

    private func oldETag(_ old: Node?, _ now: Int) -> String? {
        old.map { etag($0, now) } ?? "\"\(String(repeating: "0", count: 40))\""
    }
}
