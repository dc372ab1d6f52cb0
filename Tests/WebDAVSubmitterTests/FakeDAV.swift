import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import SubmitXML
import SystemPackage

@testable import WebDAVSubmitter

/// A WebDAV server in memory, behind a transport: as RFC 4918 has it, or with the manners of others.
final class FakeDAV: HTTPTransport {
    struct Node: Sendable {
        var name: String
        var content: [UInt8]?
        var children: [String: Node] = [:]
        var properties: [XMLName: String] = [:]
        var modified: Int64 = 1_700_000_000
        var version = 0
        /// The number of the request that stored it.
        var stored = 0
        /// What is told of it though it is no longer so.
        var stale: Stale?

        struct Stale: Sendable {
            var size: Int
            var version: Int
        }

        var isCollection: Bool { content == nil }
        /// As it is told.
        var size: Int { stale?.size ?? content?.count ?? 0 }
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
        /// Faults that came once, and where.
        var met: Set<String> = []
        /// Until which request something is so, by path.
        var processed: [[String]: Int] = [:], unseen: [[String]: Int] = [:], closed: [[String]: Int] = [:]
        var later: [Later] = []

        /// The number of the request that is answered.
        var now: Int { log.count }
    }

    /// What is done before that request.
    struct Later: Sendable {
        var due: Int
        var act: @Sendable (inout State) -> Void
    }

    /// Requests until what is not done at once is done.
    static let aWhile = 6

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

    /// Someone has taken it away.
    func lose(_ path: String) {
        state.withLock { set(nil, at: ["dav"] + path.split(separator: "/").map(String.init), &$0) }
    }

    func submitter(
        _ values: [String: String] = [:], transport: (any HTTPTransport)? = nil,
        notes: any DestinationNotes = TransientNotes()
    ) throws(SubmitFailure) -> WebDAVSubmitter {
        try WebDAVSubmitter(
            DestinationSettings(
                destination: "dav", values: ["url": Self.origin + "/dav/", "user": "alice"].merging(values) { $1 },
                secrets: ["password": Self.secret], notes: notes),
            transport: transport ?? ValidatingTransport(self))
    }

    /// What MKCOL says of a collection that is there.
    private static let there: [Manner: Int] = [
        .makesAgain: 201, .thereSays301: 301, .thereSays403: 403, .thereSays406: 406, .thereSays409: 409,
        .thereSays423: 423,
        .thereSays500: 500,
    ]

    // MARK: Requests

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        await Task.yield()
        if Task.isCancelled { throw .cancelled }
        let path = String(request.url.dropFirst(Self.origin.utf8.count))
        let early = state.withLock { state in
            state.log.append("\(request.method) \(path)")
            for later in state.later where later.due <= state.now { later.act(&state) }
            state.later.removeAll { [now = state.now] in $0.due <= now }
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
        let addresses = [request.url] + request.headers.filter { $0.name == "Destination" }.map(\.value)
        if manners.contains(.diesOfSigns), addresses.contains(where: { $0.contains("%3F") || $0.contains("%23") }) {
            throw .broken("Empty reply from server", afterBody: true)
        }
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
        if let early = early(request, path, state) { return early }
        if manners.contains(.hidesDotfiles), path.last?.hasPrefix(".") ?? false { return HTTPResponse(status: 403) }
        var destination = header("Destination").map { names(String($0.dropFirst(Self.origin.utf8.count))) }
        let isUnderscored = [path.last, destination?.last].contains { $0??.hasPrefix("_") ?? false }
        if manners.contains(.refusesUnderscore), isUnderscored { return HTTPResponse(status: 403) }
        if manners.contains(.cutsDestination), let name = destination?.popLast() {
            destination?.append(String(name.prefix { $0 != "?" && $0 != ";" }))
        }
        if let refusal = refusal(request, path, destination, header("If"), state) { return refusal }
        let longest = max(path.last?.utf8.count ?? 0, destination?.last?.utf8.count ?? 0)
        if manners.contains(.hasShortNames), longest > 143 { return HTTPResponse(status: 500) }
        var answer = obey(request, path, destination, body, header, &state)
        if manners.contains(.saysReplaced), request.method == "MOVE", answer.isSuccess { answer.status = 204 }
        if manners.contains(.saysCreated), request.method == "PUT", answer.isSuccess { answer.status = 201 }
        if manners.contains(.answers200), [201, 204].contains(answer.status) { answer.status = 200 }
        if manners.contains(.moves207), ["MOVE", "DELETE"].contains(request.method) {
            answer = multistatus(
                "<D:response><D:href>\(xmlText(href(path, false)))</D:href><D:status>HTTP/1.1 \(answer.status) So</D:status>"
                    + "</D:response>")
        }
        return answer
    }

    /// What is answered instead of what was asked for.
    private func early(_ request: HTTPRequest, _ path: [String], _ state: State) -> HTTPResponse? {
        let looks = ["HEAD", "GET", "PROPFIND"].contains(request.method)
        let destination = request.headers.filter { $0.name == "Destination" }.map {
            names(String($0.value.dropFirst(Self.origin.utf8.count)))
        }
        let isClosed = ([path] + destination).contains { state.closed[folded($0), default: 0] > state.now }
        if isClosed, !looks { return HTTPResponse(status: 423) }
        if state.processed[folded(path), default: 0] > state.now, request.method != "PROPFIND", request.method != "PUT"
        {
            return HTTPResponse(status: looks ? 425 : 503)
        }
        if manners.contains(.redirectsFolders), looks || request.method == "DELETE", !request.url.hasSuffix("/"),
            node(path, state)?.isCollection ?? false
        {
            return HTTPResponse(status: 301, headers: [("Location", request.url + "/")])
        }
        return nil
    }

    /// Whether a fault that comes once at a place comes now.
    func comes(_ manner: Manner, at path: [String], of content: [UInt8], _ state: inout State) -> Bool {
        guard manners.contains(manner), content.count > 100 else { return false }
        return state.met.insert("\(manner) \(folded(path))").inserted
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
            guard let node = seen(path, state) else { return HTTPResponse(status: 404) }
            if node.isCollection { return head(ofCollection: node) }
            return hand(out: node, request, header("Range"), state.now)
        case "PUT": return put(path, body, header, &state)
        case "DELETE":
            guard let node = node(path, state) else { return HTTPResponse(status: 404) }
            if !matches(header("If-Match"), node, state) { return HTTPResponse(status: 412) }
            if manners.contains(.deletesNothing200) { return HTTPResponse(status: 200) }
            set(nil, at: path, &state)
            state.locks.removeAll { $0.path == folded(path) }
            return HTTPResponse(status: 204)
        case "MKCOL":
            if node(path, state) != nil {
                return HTTPResponse(status: Self.there.first { manners.contains($0.key) }?.value ?? 405)
            }
            guard node(Array(path.dropLast()), state)?.isCollection ?? false else { return HTTPResponse(status: 409) }
            set(Node(name: kept(path.last!)), at: path, &state)
            return HTTPResponse(status: 201)
        case "MOVE": return move(path, destination ?? [], header("Overwrite") ?? "T", &state)
        case "PROPPATCH": return proppatch(path, body, &state)
        case "LOCK": return lock(path, body, header, &state)
        case "UNLOCK":
            if manners.contains(.fakesLocks) { return HTTPResponse(status: 501) }
            let token = header("Lock-Token")?.dropFirst().dropLast()
            let before = state.locks.count
            state.locks.removeAll { $0.token == token ?? "" }
            return HTTPResponse(status: state.locks.count < before ? 204 : 409)
        default: return HTTPResponse(status: 405)
        }
    }
}
