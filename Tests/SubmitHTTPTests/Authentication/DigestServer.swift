import Crypto
import Submit
import SubmitConcurrency
import SubmitHTTP

/// A server that wants Digest and looks at every answer closely, in place of a network.
final class DigestServer: HTTPTransport {
    /// One request as it came.
    struct Seen: Sendable {
        var method: String
        var url: String
        var bodyLength: Int64
        /// Of `Authorization`; empty where there is none.
        var scheme = ""
        var parameters: [String: String] = [:]

        var count: Int? { parameters["nc"].flatMap { Int($0, radix: 16) } }
    }

    struct Rules: Sendable {
        var password = "Circle of Life"
        /// What stands behind nonce and realm in the challenge.
        var more = "qop=\"auth\", algorithm=SHA-256"
        /// How often a nonce is good; then it is stale.
        var uses = Int.max
        /// Every answer names the next nonce.
        var namesNext = false
        /// A nonce that is good is called stale nevertheless.
        var isNeverContent = false
        /// Methods that everybody may use.
        var openMethods: Set<String> = []
    }

    fileprivate struct State {
        var rules: Rules
        var seen: [Seen] = []
        var nonces: [String: Int] = [:]
        var counts: Set<String> = []
        var complaints: [String] = []
    }

    private let state: Locked<State>

    init(_ rules: Rules = Rules()) {
        state = Locked(State(rules: rules))
    }

    var seen: [Seen] { state.withLock { $0.seen } }
    /// What no client may ever do.
    var complaints: [String] { state.withLock { $0.complaints } }

    /// Every nonce given so far is stale from now on.
    func expire() { state.withLock { $0.nonces = [:] } }

    func change(_ change: @Sendable (inout Rules) -> Void) { state.withLock { change(&$0.rules) } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        // Lets others come in between.
        for _ in 0..<10 { await Task.yield() }
        if Task.isCancelled { throw .cancelled }
        return state.withLock { $0.answer(request) }
    }
}

extension DigestServer.State {
    fileprivate mutating func answer(_ request: HTTPRequest) -> HTTPResponse {
        var one = DigestServer.Seen(method: request.method, url: request.url, bodyLength: request.body.length ?? 0)
        let values = request.headers.filter { $0.name.lowercased() == "authorization" }.map(\.value)
        if values.count > 1 { complaints.append("Authorization is there twice") }
        if let value = values.first, let given = AuthenticationChallenge.parse(value).first {
            one.scheme = given.scheme
            one.parameters = given.parameters
        }
        seen.append(one)
        if rules.openMethods.contains(request.method) { return HTTPResponse(status: 200) }
        guard one.scheme == "digest", let nonce = one.parameters["nonce"] else { return refuse(isStale: false) }
        if let count = one.parameters["nc"], !counts.insert("\(nonce) \(count)").inserted {
            complaints.append("nc \(count) came twice")
        }
        guard let uses = nonces[nonce] else { return refuse(isStale: true) }
        guard one.parameters["response"] == expected(one) else { return refuse(isStale: false) }
        if uses >= rules.uses || rules.isNeverContent { return refuse(isStale: true) }
        nonces[nonce] = uses + 1
        let next =
            rules.namesNext ? [(name: "Authentication-Info", value: "nextnonce=\"\(newNonce())\", qop=auth")] : []
        return HTTPResponse(status: 201, headers: next)
    }

    private mutating func newNonce() -> String {
        let nonce = "nonce-\(nonces.count + seen.count * 1000)"
        nonces[nonce] = 0
        return nonce
    }

    private mutating func refuse(isStale: Bool) -> HTTPResponse {
        let stale = isStale ? ", stale=TRUE" : ""
        return HTTPResponse(
            status: 401,
            headers: [("WWW-Authenticate", "Digest realm=\"a, b\", nonce=\"\(newNonce())\", \(rules.more)\(stale)")])
    }

    /// The answer for the method and the URL that really came.
    private func expected(_ seen: DigestServer.Seen) -> String {
        func hash(_ text: String) -> String {
            rules.more.contains("SHA-256")
                ? Hexadecimal.text(of: SHA256.hash(data: Array(text.utf8)))
                : Hexadecimal.text(of: Insecure.MD5.hash(data: Array(text.utf8)))
        }
        let parameters = seen.parameters
        let target = String(seen.url.dropFirst("https://h".count))
        var key = hash("Mufasa:a, b:\(rules.password)")
        if rules.more.contains("-sess") {
            key = hash("\(key):\(parameters["nonce"] ?? ""):\(parameters["cnonce"] ?? "")")
        }
        let names = parameters["qop"] == nil ? ["nonce"] : ["nonce", "nc", "cnonce", "qop"]
        let middle = names.compactMap { parameters[$0] }.joined(separator: ":")
        return hash("\(key):\(middle):\(hash("\(seen.method):\(target.isEmpty ? "/" : target)"))")
    }
}
