import Foundation
import SubmitHTTP

extension FakeCouch.Call {
    /// A document as it was sent, or why it is none.
    private enum Sent {
        case document(id: String, path: [String], node: FakeCouch.Node, stubs: [String])
        case refused(HTTPResponse)
    }

    private func read(
        _ object: [String: Any], id: String? = nil, parts: [[UInt8]] = []
    ) -> Sent {
        guard let id = id ?? object["_id"] as? String else { return .refused(.error(400, "bad_request", "no id")) }
        guard !id.hasPrefix("_") else {
            return .refused(.error(400, "illegal_docid", "Only reserved document ids may start with underscore."))
        }
        let known: Set = ["_id", "_rev", "_revisions", "_deleted", "_attachments"]
        if let bad = object.keys.first(where: { $0.hasPrefix("_") && !known.contains($0) }) {
            return .refused(.error(400, "doc_validation", "Bad special document member: \(bad)"))
        }
        let body = try! JSONSerialization.data(
            withJSONObject: object.filter { !$0.key.hasPrefix("_") }, options: [.sortedKeys])
        guard body.count <= Self.longestDocument else { return .refused(.error(413, "document_too_large", id)) }
        var node = FakeCouch.Node(body: body, isDeleted: object["_deleted"] as? Bool ?? false)
        var stubs: [String] = []
        var rest = parts[...]
        for (name, value) in (object["_attachments"] as? [String: [String: Any]] ?? [:]).sorted(by: { $0.key < $1.key })
        {
            if value["stub"] as? Bool == true {
                stubs.append(name)
                continue
            }
            if let data = (value["data"] as? String).flatMap({ Data(base64Encoded: $0) }) {
                node.attachments[name] = FakeCouch.Attachment(
                    type: value["content_type"] as? String ?? "", bytes: Array(data))
                continue
            }
            guard let bytes = rest.popFirst() else { return .refused(.error(400, "bad_request", "no attachment")) }
            guard bytes.count == value["length"] as? Int else {
                let how = bytes.count < value["length"] as? Int ?? 0 ? "shorter" : "longer"
                return .refused(.error(400, "bad_request", "attachment \(how) than expected"))
            }
            let attachment = FakeCouch.Attachment(type: value["content_type"] as? String ?? "", bytes: bytes)
            if let digest = value["digest"] as? String,
                digest != "md5-" + Data(FakeCouch.md5(bytes)).base64EncodedString()
            {
                return .refused(.error(500, "unknown_error", "function_clause"))
            }
            node.attachments[name] = attachment
        }
        var path = [object["_rev"] as? String].compactMap { $0 }
        if let revisions = object["_revisions"] as? [String: Any], let start = revisions["start"] as? Int,
            let ids = revisions["ids"] as? [String]
        {
            path = ids.enumerated().map { "\(start - $0.offset)-\($0.element)" }
        }
        return .document(id: id, path: path, node: node, stubs: stubs)
    }

    /// With the attachments that stubs stand for: those of the nearest revision before it.
    private func filled(
        _ id: String, _ path: [String], _ node: FakeCouch.Node, _ stubs: [String],
        _ documents: [String: FakeCouch.Document]
    ) -> FakeCouch.Node? {
        var node = node
        guard !stubs.isEmpty else { return node }
        guard let parent = path.dropFirst().compactMap({ documents[id]?.nodes[$0] }).first(where: { $0.body != nil })
        else {
            return nil
        }
        for stub in stubs {
            guard let attachment = parent.attachments[stub] else { return nil }
            node.attachments[stub] = attachment
        }
        return node
    }

    func bulk(_ documents: inout [String: FakeCouch.Document], _ bodies: inout Int) -> HTTPResponse {
        guard let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any],
            let all = object["docs"] as? [[String: Any]], object["new_edits"] as? Bool == false
        else { return .error(400, "bad_request", "invalid UTF-8 JSON") }
        var ready: [(id: String, path: [String], node: FakeCouch.Node)] = []
        for object in all {
            switch read(object) {
            case .refused(let answer): return answer
            case .document(let id, let path, let node, let stubs):
                guard documents[id]?.nodes[path.first ?? ""]?.body == nil else { continue }
                guard let node = filled(id, path, node, stubs, documents) else {
                    return .error(412, "missing_stub", "Invalid attachment stub in \(id) for \(stubs[0])")
                }
                ready.append((id, path, node))
            }
        }
        var errors: [[String: Any]] = []
        for (id, path, node) in ready {
            // As a validation function of a database may say.
            if node.body!.range(of: Data("\"forbidden\"".utf8)) != nil {
                errors.append(["id": id, "rev": path.first ?? "", "error": "forbidden", "reason": "not here"])
                continue
            }
            documents[id, default: FakeCouch.Document()].merge(path, node)
            bodies += 1
        }
        return .json(201, errors)
    }

    func put(_ id: String, _ documents: inout [String: FakeCouch.Document], _ bodies: inout Int) -> HTTPResponse {
        var (text, parts) = (body, [[UInt8]]())
        if let type = headers["content-type"], type.hasPrefix("multipart/related") {
            let boundary = type.split(separator: "\"")[1]
            let pieces = Self.split(body, String(boundary))
            guard let first = pieces.first else { return .error(400, "bad_request", "no parts") }
            (text, parts) = (first, Array(pieces.dropFirst()))
        }
        guard let object = (try? JSONSerialization.jsonObject(with: Data(text))) as? [String: Any] else {
            return .error(400, "bad_request", "invalid UTF-8 JSON")
        }
        guard case .document(_, var path, var node, let stubs) = read(object, id: id, parts: parts) else {
            if case .refused(let answer) = read(object, id: id, parts: parts) { return answer }
            return .error(500, "unknown_error", "")
        }
        if query["new_edits"] != "false" {
            let document = documents[id]
            let standing = document?.winner
            let isGone = standing.map { document!.nodes[$0]!.isDeleted } ?? true
            guard path.first == standing || path.isEmpty && isGone else {
                return .error(409, "conflict", "Document update conflict.")
            }
            let generation = standing.map { FakeCouch.generation($0) } ?? 0
            let digest = FakeCouch.md5(Array("\(standing ?? "")\(node.isDeleted)".utf8) + Array(node.body!))
            guard let whole = filled(id, ["", standing ?? ""], node, stubs, documents) else {
                return .error(412, "missing_stub", "Invalid attachment stub in \(id)")
            }
            node = whole
            path =
                ["\(generation + 1)-" + digest.map { String(format: "%02x", $0) }.joined()]
                + [standing].compactMap { $0 }
        } else if documents[id]?.nodes[path[0]]?.body == nil {
            guard let whole = filled(id, path, node, stubs, documents) else {
                return .error(412, "missing_stub", "Invalid attachment stub in \(id)")
            }
            node = whole
        }
        documents[id, default: FakeCouch.Document()].merge(path, node)
        bodies += 1
        return .json(201, ["ok": true, "id": id, "rev": path[0]])
    }

    /// The contents of the parts of a multipart body.
    private static func split(_ body: [UInt8], _ boundary: String) -> [[UInt8]] {
        let data = Data(body)
        let mark = Data("--\(boundary)".utf8)
        var parts: [[UInt8]] = []
        guard var start = data.range(of: mark)?.upperBound else { return [] }
        while let next = data.range(of: Data("\r\n--\(boundary)".utf8), in: start..<data.endIndex) {
            let part = data[start..<next.lowerBound]
            guard let head = part.range(of: Data("\r\n\r\n".utf8)) else { return [] }
            parts.append(Array(part[head.upperBound...]))
            start = next.upperBound
        }
        return parts
    }
}
