internal import Submit

@testable internal import SubmitHTTP
@testable internal import SubmitSignIn

/// Reads the headers of any server, and the answers of those that give tokens.
func fuzzHTTP(_ bytes: [UInt8]) {
    let answer = HTTPResponse(fuzzed: bytes)
    if let wait = answer.retryAfter(now: now) { precondition((.zero ... .seconds(86_400)).contains(wait)) }
    for value in answer.fuzzedValues {
        readDate(value)
        readChallenges(value)
        readURL(value)
    }
    for method in ["GET", "PUT"] { follow(answer, method) }
    readToken(answer)
    readForm(answer.body)
}

private let now = Timestamp(nanoseconds: 1_800_000_000_000_000_000)

private func readDate(_ text: String) {
    guard let date = HTTPDate.parse(text, now: now) else { return }
    precondition(HTTPDate.parse(HTTPDate.format(date), now: now) == date)
}

/// What is answered to a challenge is one line.
private func readChallenges(_ value: String) {
    for challenge in AuthenticationChallenge.parse(value) {
        guard let digest = DigestChallenge(challenge) else { continue }
        let hash: (String) -> String = { String($0.utf8.count, radix: 16) }
        let key = DigestAnswer.key(digest, user: "user", password: "secret", cnonce: "c", hash: hash)
        let answer = DigestAnswer(
            challenge: digest, user: "us\"er", key: key, nonce: digest.nonce, count: 1, cnonce: "c")
        precondition(answer.header(method: "PUT", target: "/a", hash: hash).isHeaderSafe)
    }
}

private func readURL(_ text: String) {
    guard let endpoint = try? Endpoint(text) else { return }
    precondition(endpoint.url("/a").utf8.allSatisfy { (0x21...0x7e).contains($0) })
    precondition((try? Endpoint(endpoint.url(""))) == endpoint)
}

/// What was meant for one server goes to no other.
private func follow(_ answer: HTTPResponse, _ method: String) {
    let request = HTTPRequest(
        method: method, url: "https://a.example.org/b/c?d", headers: [("Authorization", "Bearer secret")])
    guard case .follow(let next) = Redirect(request, answer) else { return }
    precondition(next.url.utf8.allSatisfy { (0x21...0x7e).contains($0) })
    precondition(next.url.lowercased().hasPrefix("https://"))
    // Without digits a port is the usual one (RFC 3986, section 3.2.3).
    let isSame = next.url.lowercased().prefixMatch(of: #/https://a\.example\.org(:(0*443)?)?([/?]|$)/#) != nil
    precondition(isSame || next.headers.isEmpty)
}

private func readToken(_ answer: HTTPResponse) {
    let client = OAuthClient(id: "client", secret: "hidden")
    guard let grant = try? TokenAnswer.read(answer, client: client, separator: " ", now: now) else {
        return
    }
    precondition("Bearer \(grant.tokens.access)".isHeaderSafe)
    precondition(grant.tokens.expires.map { $0.nanoseconds > now.nanoseconds } ?? true)
}

private func readForm(_ body: [UInt8]) {
    let fields = WebForm.decode(String(decoding: body, as: UTF8.self))
    let again = WebForm.decode(WebForm.encode(fields))
    precondition(fields.elementsEqual(again) { $0 == $1 })
}
