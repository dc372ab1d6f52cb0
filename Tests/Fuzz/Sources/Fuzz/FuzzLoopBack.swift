internal import Submit
internal import SubmitHTTP

@testable internal import SubmitCatalogue
@testable internal import SubmitLoopBack

/// Does all that is done with the answers of a service that knows LoopBack's filters, and with the paths of its pictures.
func fuzzLoopBack(_ bytes: [UInt8]) {
    guard let question = try? DatasourceQuestion(pageSize: 5) else { return }
    ask(bytes) { catalogue throws(DatasourceFault) in
        check(try await catalogue.page(question, after: nil), from: 0, of: question, catalogue)
    }
    ask(bytes) { catalogue throws(DatasourceFault) in
        let last = DatasourceMark(String(Int.max - 1))
        check(try await catalogue.page(question, after: last), from: .max - 1, of: question, catalogue)
    }
    ask(bytes) { catalogue throws(DatasourceFault) in
        let (records, isCut) = try await catalogue.load(question, most: 12)
        precondition(records.count <= 12 && (!isCut || records.count == 12))
    }
    ask(bytes) { catalogue throws(DatasourceFault) in
        if let record = try await catalogue.single("7") { check(record, catalogue) }
    }
    ask(bytes) { catalogue throws(DatasourceFault) in
        let count = try await catalogue.count(of: question)
        precondition(count >= 0)
    }
    for path in [nil, "/distinct"] {
        ask(bytes, distinct: path) { catalogue throws(DatasourceFault) in
            let found = try await catalogue.distinct("tags", of: question, limit: 3)
            precondition(found.values.count <= 3 && Set(found.values).count == found.values.count)
        }
    }
    // Long ones take long, and tell no more.
    readPath(String(decoding: bytes.prefix(512), as: UTF8.self))
}

private let secret = "sesame-open-thyself"

private func ask(
    _ bytes: [UInt8], distinct: String? = nil,
    _ asking: @escaping @Sendable (LoopBackCatalogue) async throws(DatasourceFault) -> Void
) {
    let server = FuzzedServer(bytes)
    guard let endpoint = try? Endpoint("https://shop.example.org/api/Products") else { return }
    var settings = LoopBackSettings(endpoint, access: .header(name: "X-Access-Token", secret: secret))
    (settings.imageField, settings.distinctPath) = ("image", distinct)
    // Each leaves a timer behind; nothing waits here.
    settings.limit = .milliseconds(10)
    let catalogue = LoopBackCatalogue(settings, transport: server)
    waiting {
        do throws(DatasourceFault) {
            try await asking(catalogue)
        } catch {
            let told = error.description
            precondition(!told.contains(secret) && !told.unicodeScalars.contains(where: \.steersTerminals))
        }
    }
    for request in server.requests {
        precondition(request.method == "GET" && request.url.utf8.allSatisfy { (0x21...0x7e).contains($0) })
        precondition(isOwn(request.url.lowercased()))
    }
}

/// The secret goes nowhere else. Without digits a port is the usual one (RFC 3986, section 3.2.3).
private func isOwn(_ url: String) -> Bool {
    let own = "https://shop.example.org"
    var rest = url.dropFirst(own.count)
    if rest.first == ":" {
        let port = rest.dropFirst().prefix(while: \.isNumber)
        guard port.isEmpty || Int(port) == 443 else { return false }
        rest = rest.dropFirst(port.count + 1)
    }
    return url.hasPrefix(own) && rest.first.map("/?".contains) ?? true
}

private func check(
    _ page: DatasourcePage, from skip: Int, of question: DatasourceQuestion, _ catalogue: LoopBackCatalogue
) {
    precondition(page.records.count <= question.pageSize)
    if let next = page.next { precondition(Int(next.text).map { $0 > skip } ?? false) }
    for record in page.records { check(record, catalogue) }
}

/// It can be written in all forms, on one line, and nothing of it is lost.
private func check(_ record: DatasourceRecord, _ catalogue: LoopBackCatalogue) {
    let json = RecordValue.object(record.members).json
    precondition(!json.unicodeScalars.contains(where: \.steersTerminals))
    let read = try? RecordValue(json: Array(json.utf8), limit: .max)
    precondition(read == .object(record.members) && read?.json.isSame(as: json) ?? false)
    for format in RecordFormat.allCases {
        var printer = RecordPrinter(format)
        let text = printer.text(of: record)
        precondition(text.hasSuffix(format == .csv ? "\r\n" : "\n") || text.hasSuffix("}"))
    }
    if let url = catalogue.image(of: record) { check(url: url) }
}

private func readPath(_ path: String) {
    for base in ["https://shop.example.org/api/Products", "https://shop.example.org/", "http://a/b/c/d;p?q"] {
        guard let url = PicturePath.url(path, relativeTo: base) else { continue }
        check(url: url)
        // What is encoded is not encoded again, whatever stands beside it.
        if isEncoded(path), !path.contains("%25") { precondition(!url.contains("%25")) }
    }
}

/// Each % begins a byte.
private func isEncoded(_ text: String) -> Bool {
    text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
        part.count >= 2 && part.prefix(2).allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
}

/// It is whole, and means the same wherever it is read.
private func check(url: String) {
    precondition(url.utf8.allSatisfy { (0x21...0x7e).contains($0) })
    let start = url.lowercased().hasPrefix("https://") ? "https://" : "http://"
    precondition(url.lowercased().hasPrefix(start))
    precondition(url.dropFirst(start.count).first.map { !"/?#".contains($0) } ?? false)
    precondition(PicturePath.url(url, relativeTo: "https://elsewhere.example/") == url)
}
