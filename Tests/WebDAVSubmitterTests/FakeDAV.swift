import Foundation
import Submit
import SubmitHTTP
import SubmitTesting
import SubmitXML
import SystemPackage

@testable import WebDAVSubmitter

/// A WebDAV server in memory, behind a transport: as RFC 4918 has it, or with the manners of others.
final class FakeDAV: HTTPTransport {
    /// What servers have been seen to do.
    enum Manner: String, Sendable, CaseIterable {
        /// Names that differ only by case are one.
        case foldsCase
        /// Names are kept in their composed form.
        case normalises
        case ignoresConditions, ignoresOverwrite
        case hasNoMove, hasNoPropfind
        /// MKCOL of a collection that is there answers 201.
        case makesAgain
        /// MOVE says 204, 500 or 404 where it should say 409, for a parent that is missing, and moves nothing.
        case movesNowhere204, movesNowhere500, movesNowhere404
        case weakETags, noETags, md5ETags
        /// Answers 2xx and stores nothing when `Expect` was sent.
        case emptiesExpected
        /// Keeps only the fragment of a PUT with `Content-Range`, and says 201.
        case keepsFragment
        case takesContentRange
        /// Says 201 and stores nothing but the first half.
        case storesHalf
        /// Says 201 and stores other bytes, as many.
        case storesOthers
        /// 403 for names that begin with a dot.
        case hidesDotfiles
        case loginPage
        /// All that may be is percent-encoded in hrefs, in lower case, and the server's name stands before it.
        case overEncodes
        case keepsNoProperties
        /// Tells `quota-available-bytes`.
        case hasQuota
        /// Nothing is changed without a lock.
        case demandsLocks
        /// The same, with 428.
        case demandsLocks428
        /// X-OC-Mtime is understood.
        case ocMtime
        /// A Destination is decoded before it is taken apart, so that it ends before the first `?` or `;` of its last name.
        case cutsDestination
        /// Two files of the same size have the same ETag.
        case coarseETags
        /// 200 for whatever was done, as some NAS boxes say.
        case answers200
        /// chezdav 3.0: the address of what has `&` in its path before its name is empty in listings.
        case losesAddresses
        /// Apache on eCryptfs and Synology's shared folders: names of more than 143 bytes are refused with 500.
        case hasShortNames
        /// mod_dav without a temporary file: what came of a PUT that broke off stays.
        case keepsWhatBrokeOff
    }

    struct Node: Sendable {
        var name: String
        var content: [UInt8]?
        var children: [String: Node] = [:]
        var properties: [XMLName: String] = [:]
        var modified: Int64 = 1_700_000_000
        var version = 0

        var isCollection: Bool { content == nil }
    }

    struct Lock: Sendable {
        var path: [String]
        var token: String
        var owner: String
        var isDeep: Bool
    }

    struct State: Sendable {
        var root = Node(name: "")
        var locks: [Lock] = []
        var log: [String] = []
        /// Bytes of all files that were taken.
        var taken: Int64 = 0
        var version = 0
        var quota: Int64 = 1 << 40
        var limit: Int64?
    }

    typealias Script = @Sendable (HTTPRequest, inout State) -> Result<HTTPResponse, HTTPFailure>?

    static let origin = "http://127.0.0.1:9"
    static let secret = "fake-dav-secret"

    let manners: Set<Manner>
    /// Answers instead of the server; `nil` lets it answer. Asked before the body is read.
    private let script: Script
    private let state: Locked<State>

    init(_ manners: Set<Manner> = [], script: @escaping Script = { _, _ in nil }) {
        self.manners = manners
        self.script = script
        var root = Node(name: "")
        root.children["dav"] = Node(name: "dav")
        state = Locked(State(root: root))
    }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    /// Such as `MOVE /dav/a.jpg`.
    var log: [String] { state.withLock { $0.log } }
    var locks: [Lock] { state.withLock { $0.locks } }
    var taken: Int64 { state.withLock { $0.taken } }

    /// By path below `/dav/`.
    var files: [String: [UInt8]] { Dictionary(tree.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }) { $1 } }

    /// The same by the bytes of the path: two names that are canonically equivalent may be two files.
    var tree: [[UInt8]: [UInt8]] {
        var found: [[UInt8]: [UInt8]] = [:]
        func walk(_ node: Node, _ path: String) {
            if let content = node.content { found[Array(path.utf8)] = content }
            for child in node.children.values { walk(child, path.isEmpty ? child.name : "\(path)/\(child.name)") }
        }
        if let top = state.withLock({ $0.root.children["dav"] }) { walk(top, "") }
        return found
    }

    /// What an address below `/dav/` leads to.
    func content(_ path: String) -> [UInt8]? {
        state.withLock { node(["dav"] + path.split(separator: "/").map(String.init), $0)?.content }
    }

    /// Of files and collections in `/dav/`.
    var names: Set<String> {
        Set(state.withLock { $0.root.children["dav"]?.children.values.map(\.name) ?? [] })
    }

    func properties(_ path: String) -> [XMLName: String] {
        state.withLock { node(names("/dav/" + path), $0)?.properties ?? [:] }
    }

    func modified(_ path: String) -> Int64? { state.withLock { node(names("/dav/" + path), $0)?.modified } }

    func put(_ bytes: [UInt8], _ path: String) {
        state.withLock { state in
            let names = ("dav/" + path).split(separator: "/").map(String.init)
            for count in 1..<names.count where node(Array(names[..<count]), state) == nil {
                set(Node(name: names[count - 1]), at: Array(names[..<count]), &state)
            }
            set(Node(name: names.last!, content: bytes), at: names, &state)
        }
    }

    func submitter(
        _ values: [String: String] = [:], transport: (any HTTPTransport)? = nil,
        notes: any DestinationNotes = PassingNotes()
    ) throws(SubmitFailure) -> WebDAVSubmitter {
        try WebDAVSubmitter(
            Settings(
                destination: "dav", values: ["url": Self.origin + "/dav/", "user": "alice"].merging(values) { $1 },
                secrets: ["password": Self.secret], notes: notes),
            transport: transport ?? ValidatingTransport(self))
    }

    // MARK: Requests

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        await Task.yield()
        if Task.isCancelled { throw .cancelled }
        let path = String(request.url.dropFirst(Self.origin.utf8.count))
        let early = state.withLock { state in
            state.log.append("\(request.method) \(path)")
            return script(request, &state)
        }
        if let early { return try early.get() }
        if manners.contains(.loginPage) {
            return HTTPResponse(
                status: 200, headers: [("Content-Type", "text/html")], body: Array("<html>Sign in".utf8))
        }
        let authorization = request.headers.first { $0.name.lowercased() == "authorization" }?.value
        let expected = "Basic " + Data("alice:\(Self.secret)".utf8).base64EncodedString()
        guard authorization == expected else {
            return HTTPResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"fake\"")])
        }
        let body = try await read(request)
        return state.withLock { answer(request, names(path), body, &$0) }
    }

    private func read(_ request: HTTPRequest) async throws(HTTPFailure) -> [UInt8] {
        switch request.body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .media(let source, let range):
            var body: [UInt8] = []
            while Int64(body.count) < range.upperBound - range.lowerBound {
                await Task.yield()
                if Task.isCancelled { throw .cancelled }
                let step = Int(min(64 << 10, range.upperBound - range.lowerBound - Int64(body.count)))
                var failure: SubmitFailure?
                let more = [UInt8](unsafeUninitializedCapacity: step) { buffer, count in
                    do throws(SubmitFailure) {
                        count = try source.read(
                            into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound + Int64(body.count))
                    } catch {
                        failure = error
                    }
                }
                if let failure { throw .body(failure) }
                guard !more.isEmpty else { throw .broken("the source ended", afterBody: false) }
                body += more
                request.sent?(Int64(body.count))
            }
            return body
        }
    }

    private func answer(
        _ request: HTTPRequest, _ path: [String], _ body: [UInt8], _ state: inout State
    ) -> HTTPResponse {
        func header(_ name: String) -> String? {
            request.headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
        if manners.contains(.hidesDotfiles), path.last?.hasPrefix(".") ?? false { return HTTPResponse(status: 403) }
        var destination = header("Destination").map { names(String($0.dropFirst(Self.origin.utf8.count))) }
        if manners.contains(.cutsDestination), let name = destination?.popLast() {
            destination?.append(String(name.prefix { $0 != "?" && $0 != ";" }))
        }
        if let refusal = refusal(request, path, destination, header("If"), state) { return refusal }
        let longest = max(path.last?.utf8.count ?? 0, destination?.last?.utf8.count ?? 0)
        if manners.contains(.hasShortNames), longest > 143 { return HTTPResponse(status: 500) }
        var answer = obey(request, path, destination, body, header, &state)
        if manners.contains(.answers200), [201, 204].contains(answer.status) { answer.status = 200 }
        return answer
    }

    private func obey(
        _ request: HTTPRequest, _ path: [String], _ destination: [String]?, _ body: [UInt8],
        _ header: (String) -> String?, _ state: inout State
    ) -> HTTPResponse {
        switch request.method {
        case "OPTIONS":
            return HTTPResponse(status: 200, headers: [("DAV", "1, 2"), ("Allow", "OPTIONS, GET, HEAD, PUT, DELETE")])
        case "PROPFIND": return propfind(path, header("Depth") ?? "infinity", body, state)
        case "HEAD", "GET":
            guard let node = node(path, state) else { return HTTPResponse(status: 404) }
            if node.isCollection { return HTTPResponse(status: 200, headers: [("Content-Type", "text/plain")]) }
            return hand(out: node, request, header("Range"))
        case "PUT": return put(path, body, header, &state)
        case "DELETE":
            guard node(path, state) != nil else { return HTTPResponse(status: 404) }
            set(nil, at: path, &state)
            state.locks.removeAll { $0.path == folded(path) }
            return HTTPResponse(status: 204)
        case "MKCOL":
            if node(path, state) != nil { return HTTPResponse(status: manners.contains(.makesAgain) ? 201 : 405) }
            guard node(Array(path.dropLast()), state)?.isCollection ?? false else { return HTTPResponse(status: 409) }
            set(Node(name: kept(path.last!)), at: path, &state)
            return HTTPResponse(status: 201)
        case "MOVE": return move(path, destination ?? [], header("Overwrite") ?? "T", header("X-OC-Mtime"), &state)
        case "PROPPATCH": return proppatch(path, body, &state)
        case "LOCK": return lock(path, body, header, &state)
        case "UNLOCK":
            let token = header("Lock-Token")?.dropFirst().dropLast()
            let before = state.locks.count
            state.locks.removeAll { $0.token == token ?? "" }
            return HTTPResponse(status: state.locks.count < before ? 204 : 409)
        default: return HTTPResponse(status: 405)
        }
    }

    // MARK: Locks

    private func refusal(
        _ request: HTTPRequest, _ path: [String], _ destination: [String]?, _ condition: String?, _ state: State
    ) -> HTTPResponse? {
        guard ["PUT", "DELETE", "MOVE", "PROPPATCH", "MKCOL"].contains(request.method) else { return nil }
        let tokens = (condition ?? "").matches(of: #/\(<([^>]+)>\)/#).map { String($0.1) }
        if !tokens.isEmpty, !tokens.allSatisfy({ token in state.locks.contains { $0.token == token } }) {
            return HTTPResponse(status: 412)
        }
        if !manners.contains(.ignoresConditions),
            let etag = (condition ?? "").firstMatch(of: #/\(\[("[^"]*")\]\)/#).map({ String($0.1) }),
            let destination, node(destination, state).map({ self.etag($0) != etag }) ?? true
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

    private func lock(
        _ path: [String], _ body: [UInt8], _ header: (String) -> String?, _ state: inout State
    ) -> HTTPResponse {
        let place = folded(path)
        if body.isEmpty {
            guard let token = header("If")?.dropFirst(2).dropLast(2),
                let lock = state.locks.first(where: { $0.token == token })
            else { return HTTPResponse(status: 412) }
            return HTTPResponse(status: 200, body: Array(Self.prop(discovery([lock])).utf8))
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

    private func discovery(_ locks: [Lock]) -> String {
        let active = locks.map {
            "<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:exclusive/></D:lockscope><D:depth>0</D:depth>"
                + "<D:owner>\($0.owner)</D:owner><D:timeout>Second-600</D:timeout>"
                + "<D:locktoken><D:href>\($0.token)</D:href></D:locktoken></D:activelock>"
        }
        return "<D:lockdiscovery>\(active.joined())</D:lockdiscovery>"
    }

    private static func prop(_ content: String) -> String { "<D:prop xmlns:D='DAV:'>\(content)</D:prop>" }

    // MARK: Storing

    private func put(
        _ path: [String], _ body: [UInt8], _ header: (String) -> String?, _ state: inout State
    ) -> HTTPResponse {
        let old = node(path, state)
        if old?.isCollection ?? false { return HTTPResponse(status: 405) }
        guard node(Array(path.dropLast()), state)?.isCollection ?? false else { return HTTPResponse(status: 409) }
        if !manners.contains(.ignoresConditions), header("If-None-Match") == "*", old != nil {
            return HTTPResponse(status: 412)
        }
        if let limit = state.limit, Int64(body.count) > limit { return HTTPResponse(status: 413) }
        if Int64(body.count) > state.quota { return HTTPResponse(status: 507) }
        var content = body
        if let range = header("Content-Range") {
            if manners.contains(.takesContentRange),
                let start = Int(range.dropFirst("bytes ".count).prefix { $0 != "-" })
            {
                content = Array((old?.content ?? []).prefix(start)) + body
            } else if !manners.contains(.keepsFragment) {
                return HTTPResponse(status: 501)
            }
        }
        if manners.contains(.emptiesExpected), header("Expect") != nil { content = [] }
        // Only what is long: otherwise it would not be taken for a server at all.
        if manners.contains(.storesHalf), content.count > 100 { content = Array(content.prefix(content.count / 2)) }
        if manners.contains(.storesOthers), content.count > 100 { content = content.reversed() }
        state.taken += Int64(body.count)
        state.version += 1
        var new = Node(name: old?.name ?? kept(path.last!), content: content)
        new.properties = old?.properties ?? [:]
        new.version = state.version
        var headers: [(name: String, value: String)] = etag(new).map { [("ETag", $0)] } ?? []
        if manners.contains(.ocMtime), let time = header("X-OC-Mtime").flatMap({ Int64($0) }) {
            new.modified = time
            headers.append(("X-OC-MTime", "accepted"))
        }
        set(new, at: path, &state)
        return HTTPResponse(status: old == nil ? 201 : 204, headers: headers)
    }

    private func move(
        _ path: [String], _ destination: [String], _ overwrite: String, _ date: String?, _ state: inout State
    ) -> HTTPResponse {
        if manners.contains(.hasNoMove) { return HTTPResponse(status: 405) }
        guard var moved = node(path, state) else { return HTTPResponse(status: 404) }
        guard node(Array(destination.dropLast()), state)?.isCollection ?? false else {
            if manners.contains(.movesNowhere204) { return HTTPResponse(status: 204) }
            if manners.contains(.movesNowhere500) { return HTTPResponse(status: 500) }
            return HTTPResponse(status: manners.contains(.movesNowhere404) ? 404 : 409)
        }
        let there = node(destination, state)
        if there != nil, overwrite == "F", !manners.contains(.ignoresOverwrite) { return HTTPResponse(status: 412) }
        set(nil, at: path, &state)
        state.locks.removeAll { $0.path == folded(path) }
        moved.name = kept(destination.last!)
        set(moved, at: destination, &state)
        return HTTPResponse(status: there == nil ? 201 : 204)
    }

    private func hand(out node: Node, _ request: HTTPRequest, _ range: String?) -> HTTPResponse {
        let content = node.content ?? []
        var headers: [(name: String, value: String)] = etag(node).map { [("ETag", $0)] } ?? []
        headers.append(("Last-Modified", HTTPDate.format(Timestamp(nanoseconds: node.modified * 1_000_000_000))))
        headers.append(("Content-Type", "application/octet-stream"))
        if request.method == "HEAD" {
            return HTTPResponse(status: 200, headers: headers + [("Content-Length", "\(content.count)")])
        }
        guard let bounds = range?.dropFirst("bytes=".count).split(separator: "-").compactMap({ Int($0) }),
            bounds.count == 2
        else { return HTTPResponse(status: 200, headers: headers, body: content) }
        guard bounds[0] < content.count else { return HTTPResponse(status: 416) }
        return HTTPResponse(
            status: 206, headers: headers, body: Array(content[bounds[0]...min(bounds[1], content.count - 1)]))
    }

    private func etag(_ node: Node) -> String? {
        if manners.contains(.noETags) || node.isCollection { return nil }
        if manners.contains(.md5ETags) {
            return "\"\(ScriptedBytes(node.content ?? []).item(named: "x").digests.hexadecimal(.md5)!)\""
        }
        if manners.contains(.coarseETags) { return "\"\(node.content?.count ?? 0)\"" }
        return (manners.contains(.weakETags) ? "W/" : "") + "\"\(node.version)-\(node.content?.count ?? 0)\""
    }

    // MARK: Properties

    private func propfind(_ path: [String], _ depth: String, _ body: [UInt8], _ state: State) -> HTTPResponse {
        if manners.contains(.hasNoPropfind) { return HTTPResponse(status: 405) }
        guard let found = node(path, state) else { return HTTPResponse(status: 404) }
        var asked: [XMLName] = []
        _ = try? XMLReader.elements(body) { if $0.name == .dav("prop") { asked = $0.children.map(\.name) } }
        var responses = response(path, found, asked, state)
        if depth == "1" {
            for child in found.children.values where !(manners.contains(.hidesDotfiles) && child.name.hasPrefix(".")) {
                responses += response(path + [child.name], child, asked, state)
            }
        }
        return HTTPResponse(
            status: 207, headers: [("Content-Type", "application/xml")],
            body: Array("<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses)</D:multistatus>".utf8))
    }

    private func response(_ path: [String], _ node: Node, _ asked: [XMLName], _ state: State) -> String {
        var found = ""
        var missing = ""
        for name in asked {
            let value: String? =
                switch name {
                case .dav("resourcetype"): node.isCollection ? "<D:collection/>" : ""
                case .dav("getcontentlength"): node.content.map { "\($0.count)" }
                case .dav("getetag"): etag(node).map(xmlText)
                case .dav("getlastmodified"):
                    HTTPDate.format(Timestamp(nanoseconds: node.modified * 1_000_000_000))
                case .dav("lockdiscovery"):
                    String(
                        discovery(
                            state.locks.filter {
                                folded(path) == $0.path || ($0.isDeep && folded(path).starts(with: $0.path))
                            }
                        )
                        .dropFirst("<D:lockdiscovery>".count).dropLast("</D:lockdiscovery>".count))
                case .dav("quota-available-bytes"):
                    manners.contains(.hasQuota) && node.isCollection ? "\(state.quota)" : nil
                default: node.properties[name].map(xmlText)
                }
            let open = "<n:\(name.local) xmlns:n=\"\(name.namespace)\""
            if let value { found += "\(open)>\(value)</n:\(name.local)>" } else { missing += "\(open)/>" }
        }
        let notFound =
            missing.isEmpty
            ? "" : "<D:propstat><D:prop>\(missing)</D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>"
        return
            "<D:response><D:href>\(xmlText(href(path, node.isCollection)))</D:href><D:propstat><D:prop>\(found)</D:prop>"
            + "<D:status>HTTP/1.1 200 OK</D:status></D:propstat>\(notFound)</D:response>"
    }

    private func href(_ path: [String], _ isCollection: Bool) -> String {
        if manners.contains(.losesAddresses), path.dropLast().contains(where: { $0.contains("&") }) { return "" }
        let path = DAVPath(path, isCollection: isCollection)
        guard manners.contains(.overEncodes) else { return path.encoded }
        let encoded = path.segments.map { segment in
            segment.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return Self.origin + "/" + encoded.joined(separator: "/") + (isCollection ? "/" : "")
    }

    private func proppatch(_ path: [String], _ body: [UInt8], _ state: inout State) -> HTTPResponse {
        guard var found = node(path, state) else { return HTTPResponse(status: 404) }
        var values: [XMLElement] = []
        _ = try? XMLReader.elements(body) {
            if $0.name == .dav("set") { values = $0.first(.dav("prop"))?.children ?? [] }
        }
        let refuses = manners.contains(.keepsNoProperties) || values.contains { $0.name.namespace == "DAV:" }
        if !refuses {
            for value in values { found.properties[value.name] = value.text }
            set(found, at: path, &state)
        }
        let names = values.map { "<n:\($0.name.local) xmlns:n=\"\($0.name.namespace)\"/>" }.joined()
        let status = refuses ? "403 Forbidden" : "200 OK"
        return HTTPResponse(
            status: 207,
            body: Array(
                ("<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>\(href(path, false))</D:href><D:propstat>"
                    + "<D:prop>\(names)</D:prop><D:status>HTTP/1.1 \(status)</D:status></D:propstat></D:response>"
                    + "</D:multistatus>").utf8))
    }

    // MARK: The tree

    private func names(_ path: String) -> [String] { DAVPath(href: path)?.segments ?? [] }

    /// The form in which a name is kept.
    private func kept(_ name: String) -> String {
        manners.contains(.normalises) ? name.precomposedStringWithCanonicalMapping : name
    }

    /// The form in which names are compared: byte by byte, as Swift does not.
    private func folded(_ path: [String]) -> [String] { path.map(key) }

    private func key(_ name: String) -> String {
        let name = manners.contains(.foldsCase) ? kept(name).lowercased() : kept(name)
        return name.utf8.allSatisfy { $0 < 128 } ? name : name.utf8.map { String($0, radix: 16) }.joined(separator: ".")
    }

    private func node(_ path: [String], _ state: State) -> Node? {
        folded(path).reduce(Optional(state.root)) { $0?.children[$1] }
    }

    private func set(_ node: Node?, at path: [String], _ state: inout State) {
        func put(_ path: ArraySlice<String>, _ parent: inout Node) {
            guard let first = path.first else { return }
            if path.count == 1 {
                parent.children[first] = node
            } else if var child = parent.children[first] {
                put(path.dropFirst(), &child)
                parent.children[first] = child
            }
        }
        put(folded(path)[...], &state.root)
    }
}
