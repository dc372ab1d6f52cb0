import Foundation
import SubmitHTTP

extension FakeCouch {
    /// One request at the server.
    struct Call {
        let method: String
        /// Decoded.
        let path: [String]
        let query: [String: String]
        let headers: [String: String]
        let body: [UInt8]

        /// default.ini, `max_document_size`.
        static let longestDocument = 8_000_000

        init(_ request: HTTPRequest, _ body: [UInt8]) {
            method = request.method
            self.body = body
            let target = request.url.split(separator: "/", maxSplits: 2).last!.split(separator: "?", maxSplits: 1)
            path = target[0].split(separator: "/").map { $0.removingPercentEncoding! }
            var query: [String: String] = [:]
            for pair in target.dropFirst().first?.split(separator: "&") ?? [] {
                let parts = pair.split(separator: "=", maxSplits: 1)
                query[String(parts[0])] = parts.count > 1 ? parts[1].removingPercentEncoding! : ""
            }
            self.query = query
            headers = Dictionary(request.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
        }

        func isFrom(_ state: State) -> Bool {
            let basic = Data("\(FakeCouch.user):\(FakeCouch.secret)".utf8).base64EncodedString()
            if headers["authorization"] == "Basic \(basic)" { return true }
            if headers["authorization"] == "Bearer \(FakeCouch.secret)" { return true }
            return headers["cookie"] == "AuthSession=cookie-number-\(state.cookies)" && state.cookies > 0
        }

        func signIn(_ state: inout State) -> HTTPResponse {
            guard String(decoding: body, as: UTF8.self) == "name=\(FakeCouch.user)&password=\(FakeCouch.secret)" else {
                return .error(401, "unauthorized", "Name or password is incorrect.")
            }
            state.cookies += 1
            var answer = HTTPResponse.json(200, ["ok": true])
            answer.headers.append(
                ("Set-Cookie", "AuthSession=cookie-number-\(state.cookies); Version=1; Path=/; HttpOnly"))
            return answer
        }

        mutating func answer(_ state: inout State) -> HTTPResponse {
            guard let name = path.first else { return .json(200, ["couchdb": "Welcome", "version": "3.5.0"]) }
            if method == "PUT", path.count == 1 {
                guard state.databases[name] == nil else {
                    return .error(412, "file_exists", "The database could not be created.")
                }
                state.databases[name] = [:]
                return .json(201, ["ok": true])
            }
            guard var documents = state.databases[name] else {
                return .error(404, "not_found", "Database does not exist.")
            }
            if method == "DELETE", path.count == 1 {
                state.databases[name] = nil
                return .json(200, ["ok": true])
            }
            defer { if state.databases[name] != nil { state.databases[name] = documents } }
            switch (method, path.count, path.count > 1 ? path[1] : "") {
            case ("GET", 1, _):
                let count = documents.values.count { !$0.nodes[$0.winner!]!.isDeleted }
                return .json(200, ["db_name": name, "doc_count": count])
            case ("POST", 2, "_all_docs"): return allDocuments(documents)
            case ("GET", 2, "_all_docs"): return range(documents)
            case ("POST", 2, "_revs_diff"): return difference(documents)
            case ("POST", 2, "_bulk_docs"):
                return bulk(&documents, &state.sentBodies)
            case (_, 3, "_local"): return local(path[2], &state.local)
            case ("PUT", 2, let id): return put(id, &documents, &state.sentBodies)
            case ("GET", 2, let id): return get(id, documents)
            case ("GET", 3, let id): return attachment(id, documents)
            default: return .error(405, "method_not_allowed", "Only others allowed")
            }
        }

        /// A local document, whose revision is a number after “0-”.
        private func local(_ id: String, _ local: inout [String: Int]) -> HTTPResponse {
            guard let known = local[id] else {
                guard method == "PUT" else { return .error(404, "not_found", "missing") }
                local[id] = 1
                return .json(201, ["ok": true, "id": "_local/\(id)", "rev": "0-1"])
            }
            switch method {
            case "GET": return .json(200, ["_id": "_local/\(id)", "_rev": "0-\(known)"])
            case "DELETE" where query["rev"] == "0-\(known)":
                local[id] = nil
                return .json(200, ["ok": true])
            default: return .error(409, "conflict", "Document update conflict.")
            }
        }

        private var json: [String: Any]? {
            (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
        }

        // MARK: Looking

        private func row(_ id: String, _ document: Document, withContents: Bool) -> [String: Any] {
            let winner = document.winner!
            let node = document.nodes[winner]!
            var value: [String: Any] = ["rev": winner]
            if node.isDeleted { value["deleted"] = true }
            var row: [String: Any] = ["id": id, "key": id, "value": value]
            if withContents { row["doc"] = node.isDeleted ? NSNull() : content(id, winner, node) }
            return row
        }

        private func content(_ id: String, _ revision: String, _ node: Node) -> Any {
            var content =
                (try? JSONSerialization.jsonObject(with: node.body ?? Data("{}".utf8))) as? [String: Any] ?? [:]
            content["_id"] = id
            content["_rev"] = revision
            if node.isDeleted { content["_deleted"] = true }
            if !node.attachments.isEmpty { content["_attachments"] = node.attachments.mapValues(\.told) }
            return content
        }

        private func allDocuments(_ documents: [String: Document]) -> HTTPResponse {
            guard let keys = json?["keys"] as? [String] else {
                return .error(400, "bad_request", "`keys` must be an array.")
            }
            let rows = keys.map { key -> [String: Any] in
                documents[key].map { row(key, $0, withContents: query["include_docs"] == "true") }
                    ?? ["key": key, "error": "not_found"]
            }
            return .json(200, ["total_rows": documents.count, "offset": NSNull(), "rows": rows])
        }

        private func range(_ documents: [String: Document]) -> HTTPResponse {
            func text(_ name: String) -> String? {
                query[name].flatMap {
                    try? JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
                }
                    as? String
            }
            let ids = documents.keys.sorted().filter { id in
                (text("startkey").map { id >= $0 } ?? true) && (text("endkey").map { id <= $0 } ?? true)
                    && !documents[id]!.nodes[documents[id]!.winner!]!.isDeleted
            }
            let rows = ids.prefix(query["limit"].flatMap { Int($0) } ?? .max)
                .map { row($0, documents[$0]!, withContents: query["include_docs"] == "true") }
            return .json(200, ["total_rows": documents.count, "offset": 0, "rows": Array(rows)])
        }

        private func difference(_ documents: [String: Document]) -> HTTPResponse {
            guard let asked = json as? [String: [String]] else { return .error(400, "bad_request", "not revisions") }
            var missing: [String: Any] = [:]
            for (id, revisions) in asked {
                let unknown = revisions.filter { documents[id]?.nodes[$0]?.body == nil }
                guard let first = unknown.first else { continue }
                var row: [String: Any] = ["missing": unknown]
                let shorter =
                    documents[id]?.leaves.filter { FakeCouch.generation($0) < FakeCouch.generation(first) } ?? []
                if !shorter.isEmpty { row["possible_ancestors"] = shorter }
                missing[id] = row
            }
            return .json(200, missing)
        }

        private func get(_ id: String, _ documents: [String: Document]) -> HTTPResponse {
            guard let document = documents[id] else { return .error(404, "not_found", "missing") }
            let revision = query["rev"] ?? document.winner!
            guard let node = document.nodes[revision], node.body != nil else {
                return .error(404, "not_found", "missing")
            }
            if query["rev"] == nil, node.isDeleted { return .error(404, "not_found", "deleted") }
            var content = content(id, revision, node) as? [String: Any] ?? [:]
            if query["revs"] == "true" {
                var path: [String] = [revision]
                while let parent = document.nodes[path.last!]!.parent { path.append(parent) }
                content["_revisions"] = [
                    "start": FakeCouch.generation(revision),
                    "ids": path.map { String($0.drop { $0 != "-" }.dropFirst()) },
                ]
            }
            let others = document.leaves.filter { $0 != revision && !document.nodes[$0]!.isDeleted }
            if query["conflicts"] == "true", !others.isEmpty { content["_conflicts"] = others }
            return .json(200, content)
        }

        private func attachment(_ id: String, _ documents: [String: Document]) -> HTTPResponse {
            guard let document = documents[id], let node = document.nodes[query["rev"] ?? document.winner!],
                let attachment = node.attachments[path[2]]
            else { return .error(404, "not_found", "Document is missing attachment") }
            let all = attachment.bytes
            let asked = headers["range"]?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            guard let asked, asked.count == 2, !attachment.isCompressed, asked[0] < all.count else {
                return HTTPResponse(status: 200, headers: [("Content-Type", attachment.type)], body: all)
            }
            let end = min(asked[1], all.count - 1)
            return HTTPResponse(
                status: 206, headers: [("Content-Range", "bytes \(asked[0])-\(end)/\(all.count)")],
                body: Array(all[asked[0]...end]))
        }
    }
}
