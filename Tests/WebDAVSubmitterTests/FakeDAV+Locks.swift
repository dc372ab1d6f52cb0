import Foundation
import Submit
import SubmitHTTP
import SubmitTesting
import SubmitXML

@testable import WebDAVSubmitter

extension FakeDAV {
    func refusal(
        _ request: HTTPRequest, _ path: [String], _ destination: [String]?, _ condition: String?, _ state: State
    ) -> HTTPResponse? {
        guard ["PUT", "DELETE", "MOVE", "PROPPATCH", "MKCOL"].contains(request.method) else { return nil }
        let tokens = (condition ?? "").matches(of: #/\(<([^>]+)>\)/#).map { String($0.1) }
        let isShown = { (token: String) in state.locks.contains { $0.token == token } }
        if !manners.contains(.fakesLocks), !tokens.allSatisfy(isShown) {
            return HTTPResponse(status: 412)
        }
        if let etag = (condition ?? "").firstMatch(of: #/\(\[("[^"]*")\]\)/#).map({ String($0.1) }),
            let destination, !matches(etag, node(destination, state), state)
        {
            return HTTPResponse(status: 412)
        }
        let demands = manners.contains(.demandsLocks) || manners.contains(.demandsLocks428)
        for changed in [path, destination].compactMap({ $0.map(folded) }) {
            let locks = state.locks.filter { $0.path == changed || ($0.isDeep && changed.starts(with: $0.path)) }
            if locks.contains(where: { !tokens.contains($0.token) })
                || (demands && locks.isEmpty && request.method != "MKCOL")
            {
                let body =
                    "<D:error xmlns:D='DAV:'><D:lock-token-submitted><D:href>/</D:href></D:lock-token-submitted></D:error>"
                return HTTPResponse(
                    status: locks.isEmpty && manners.contains(.demandsLocks428) ? 428 : 423, body: Array(body.utf8))
            }
        }
        return nil
    }

    /// Whether something has the ETag that a request names, if it names one.
    func matches(_ etag: String?, _ node: Node?, _ state: State) -> Bool {
        guard let etag, !manners.contains(.ignoresConditions) else { return true }
        guard let node else { return manners.contains(.conditionsNeedAFile) }
        return !manners.contains(.neverMatches) && self.etag(node, state.now) == etag
    }

    func lock(
        _ path: [String], _ body: [UInt8], _ header: (String) -> String?, _ state: inout State
    ) -> HTTPResponse {
        let place = folded(path)
        if body.isEmpty {
            guard let token = header("If")?.dropFirst(2).dropLast(2),
                let lock = state.locks.first(where: { $0.token == token })
            else { return HTTPResponse(status: 412) }
            return HTTPResponse(status: 200, body: Array(Self.prop(discovery([lock])).utf8))
        }
        if manners.contains(.fakesLocks) {
            let lock = Lock(path: place, token: "urn:uuid:always-the-same", owner: "", isDeep: false)
            return HTTPResponse(
                status: 200, headers: [("Lock-Token", lock.token)], body: Array(Self.prop(discovery([lock])).utf8))
        }
        let isDeep = header("Depth") == "infinity"
        let isTaken = state.locks.contains {
            $0.path == place || ($0.isDeep && place.starts(with: $0.path)) || (isDeep && $0.path.starts(with: place))
        }
        if isTaken { return HTTPResponse(status: 423) }
        var owner = ""
        _ = try? XMLReader.elements(body) { if $0.name == .dav("owner") { owner = $0.text } }
        let isNew = node(path, state) == nil
        if isNew {
            guard node(Array(path.dropLast()), state) != nil else { return HTTPResponse(status: 409) }
            set(Node(name: kept(path.last!), content: []), at: path, &state)
        }
        let lock = Lock(path: place, token: "urn:uuid:\(UUID().uuidString.lowercased())", owner: owner, isDeep: isDeep)
        state.locks.append(lock)
        return HTTPResponse(
            status: isNew ? 201 : 200, headers: [("Lock-Token", "<\(lock.token)>")],
            body: Array(Self.prop(discovery([lock])).utf8))
    }

    func discovery(_ locks: [Lock]) -> String {
        let active = locks.map {
            "<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:exclusive/></D:lockscope><D:depth>0</D:depth>"
                + "<D:owner>\($0.owner)</D:owner><D:timeout>Second-600</D:timeout>"
                + "<D:locktoken><D:href>\($0.token)</D:href></D:locktoken></D:activelock>"
        }
        return "<D:lockdiscovery>\(active.joined())</D:lockdiscovery>"
    }

    static func prop(_ content: String) -> String { "<D:prop xmlns:D='DAV:'>\(content)</D:prop>" }
}
