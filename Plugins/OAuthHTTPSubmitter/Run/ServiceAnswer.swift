internal import Submit
internal import SubmitHTTP
internal import SubmitRecipes
internal import SubmitXML

/// What a service answered, to be looked into by expressions and captures.
struct ServiceAnswer: Sendable {
    let status: Int
    private let response: HTTPResponse
    /// `nil` for a body that is no JSON.
    let json: RecipeValue?
    private let xml: [String: String]

    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    init(_ answer: HTTPResponse) {
        var response = answer
        if response.body.starts(with: Self.byteOrderMark) { response.body.removeFirst(Self.byteOrderMark.count) }
        self.response = response
        status = response.status
        let first = response.body.first { !($0 == 0x20 || (0x09...0x0d).contains($0)) }
        let type = response["Content-Type"]?.lowercased() ?? ""
        let isHTML = type.hasPrefix("text/html")
        if first == UInt8(ascii: "<"), !isHTML {
            json = nil
            xml = (try? XMLReader.firstValues(response.body)) ?? [:]
        } else if !isHTML, type.contains("json") || first.map({ "{[".utf8.contains($0) }) ?? false {
            json = JSONText.read(response.body)
            xml = [:]
        } else {
            json = nil
            xml = [:]
        }
    }

    /// A web page, where a program expects none.
    var isPage: Bool {
        if response.announcesPage { return true }
        let head = String(decoding: response.body.prefix(64), as: UTF8.self).lowercased().drop { $0.isWhitespace }
        return head.hasPrefix("<!doctype html") || head.hasPrefix("<html")
    }

    /// The same, and there is something on it: a page without a body may be the head of any answer.
    var holdsPage: Bool { isPage && !response.body.isEmpty }

    var isEmpty: Bool { response.body.isEmpty }

    /// There is something, and it is neither JSON nor XML.
    var isGarbled: Bool { !response.body.isEmpty && json == nil && xml.isEmpty }

    func header(_ name: String) -> String? { response[name] }

    var text: String { String(decoding: response.body, as: UTF8.self) }

    /// What a capture takes; nothing where it is not there.
    func value(of source: Recipe.Capture.Source) -> RecipeValue {
        switch source {
        case .json(let pointer): json?.at(pointer) ?? .null
        case .xml(let path): RecipeValue(xml[path.key])
        case .header(let name): RecipeValue(response[name])
        case .text: text.isEmpty ? .null : .text(text)
        case .form(let key): form(key)
        }
    }

    private func form(_ key: String) -> RecipeValue {
        RecipeValue(WebForm.decode(text).first { $0.name == key }?.value)
    }

    /// Makes `status`, `header[…]`, `body[…]`, `xml[…]` and `text` stand for this answer.
    func stand(in scope: inout ExpressionScope) {
        scope["status"] = .integer(Int64(status))
        scope["text"] = .text(String(text.prefix(RecipeValue.longestText / 4)))
        scope.setLookup("header") { RecipeValue(self.response[$0]) }
        scope.setLookup("body") { self.json?.at(named: $0) ?? .null }
        scope.setLookup("xml") { name in RecipeValue(XMLPath(name).flatMap { self.xml[$0.key] }) }
    }

    /// When the service says that it answered.
    func date(now: Timestamp) -> Timestamp? { response["Date"].flatMap { HTTPDate.parse($0, now: now) } }

    /// How long the service asks us to wait, by the headers that many have: `Retry-After`, or a reset
    /// of a limit as seconds, as seconds since 1970, or as a date of ISO 8601.
    func wait(now: Timestamp) -> Duration? {
        if let wait = response.retryAfter(now: now) { return wait }
        for name in ["x-ratelimit-reset", "x-rate-limit-reset", "ratelimit-reset"] {
            guard let text = response[name] else { continue }
            let value = RecipeValue.text(text)
            let seconds: Int64
            if let number = value.asInteger, number < 1_000_000_000 {
                seconds = number
            } else if let time = ServiceTime.seconds(value) {
                seconds = time - (date(now: now) ?? now).seconds
            } else {
                continue
            }
            return .seconds(min(max(0, seconds), 86_400))
        }
        return nil
    }

    /// What the service says for people, in a few words; `nil` where that is not to be found.
    var words: String? {
        let places = [
            "/error_description", "/error/message", "/error_summary", "/message", "/error", "/detail",
            "/errors/0/detail",
            "/errors/0/message", "/meta/msg", "/title",
        ]
        var found = places.lazy.compactMap { JSONPointer($0) }.compactMap { json?.at($0).asText }.first { !$0.isEmpty }
        found = found ?? xml["rsp/err@msg"] ?? xml["error/message"]
        if found == nil, json == nil, response["Content-Type"]?.hasPrefix("text/plain") ?? false { found = text }
        let words = found.map { ForeignText.line($0, longest: 120) }
        return words?.isEmpty == false ? words : nil
    }
}

extension XMLPath {
    fileprivate var key: String { elements.joined(separator: "/") + (attribute.map { "@" + $0 } ?? "") }
}
