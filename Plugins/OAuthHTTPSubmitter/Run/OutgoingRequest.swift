internal import Submit
internal import SubmitHTTP
internal import SubmitRecipes

/// The item whose bytes a request may send.
struct SentFile: Sendable {
    let item: MediaItem
    let bytes: any MediaBytes
    /// The piece of a chunk loop.
    var range: Range<Int64>?

    var whole: Range<Int64> { 0..<bytes.size }
}

/// A request as a recipe describes it, with all values in it, and without what proves who sends it.
struct OutgoingRequest: Sendable {
    var request: HTTPRequest
    let credential: Recipe.Credential
    /// It sends the item, or a piece of it.
    let sendsFile: Bool
    let place: RecipePlace
}

extension Recipe.Request {
    /// Bytes of all texts of a body or a query together: memory is for all destinations.
    fileprivate static let mostText = 8 << 20

    fileprivate static func take(_ text: String, of room: inout Int, _ place: RecipePlace) throws(RecipeFault) {
        room -= text.utf8.count
        guard room >= 0 else {
            throw RecipeFault(place, "This makes a request with more than \(mostText >> 20) MiB of text.")
        }
    }

    /// Makes the request. Nothing and empty texts are left out of query, headers and form.
    ///
    /// - Parameters:
    ///   - absolute: makes an absolute URL of one, given by the service or not, or refuses it.
    ///   - signsMultipartText: the text fields of multipart bodies are signed.
    ///   - boundary: of a multipart body; `nil` for a new one.
    /// - Throws: the fault of an expression, of a URL that leads elsewhere, of a header that is none.
    func outgoing(
        in scope: ExpressionScope, file: SentFile?, signsMultipartText: Bool = false, boundary: String? = nil,
        absolute: (_ url: String, _ isGiven: Bool) throws(RecipeFault) -> String
    ) throws(RecipeFault) -> OutgoingRequest {
        var url = try absolute(try self.url.url(in: scope), self.url.beginsWithValue)
        var query: [String] = []
        var room = Self.mostText
        for field in self.query {
            for text in try field.value.texts(in: scope) {
                try Self.take(text, of: &room, field.place)
                query.append("\(PercentEncoding.encode(field.name))=\(PercentEncoding.encode(text))")
            }
        }
        if !query.isEmpty {
            url += (!url.contains("?") ? "?" : url.hasSuffix("?") || url.hasSuffix("&") ? "" : "&")
            url += query.joined(separator: "&")
        }
        var headers: [(name: String, value: String)] = []
        for field in self.headers {
            if let value = try field.value.header(in: scope) { headers.append((field.name, value)) }
        }
        for (name, value, _) in jsonHeaders { headers.append((name, try value.json(in: scope, isASCII: true))) }
        let content = try body.content(in: scope, file: file, boundary: boundary)
        if let type = content.type, !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            headers.append(("Content-Type", type))
        }
        if !headers.contains(where: { $0.name.lowercased() == "accept" }) {
            headers.append(("Accept", "application/json, */*;q=0.5"))
        }
        if asksToContinue { headers.append(("Expect", "100-continue")) }
        var request = HTTPRequest(method: method, url: url, headers: headers, body: content.body)
        request.responseLimit = 4 << 20
        request.takesEarlyAnswer = true
        request.stallTimeout = timeout.map { Int(clamping: $0) }
        if signsMultipartText { request.signedFields = content.fields }
        return OutgoingRequest(request: request, credential: credential, sendsFile: body.sendsFile, place: place)
    }
}

extension RecipeTemplate {
    /// An expression stands at its very beginning.
    fileprivate var beginsWithValue: Bool {
        if case .value? = pieces.first { true } else { false }
    }
}

extension Recipe.Body {
    fileprivate struct Made {
        var body = HTTPBody.none
        var type: String?
        /// The text fields of a multipart body.
        var fields: [WebForm.Field] = []
    }

    fileprivate func content(
        in scope: ExpressionScope, file: SentFile?, boundary: String?
    ) throws(RecipeFault) -> Made {
        var made = Made()
        switch content {
        case .none: break
        case .json(let template):
            made.body = .bytes(Array(try template.json(in: scope).utf8))
            made.type = "application/json"
        case .form(let fields):
            made.body = .bytes(Array(WebForm.encode(try texts(of: fields, in: scope)).utf8))
            made.type = WebForm.type
        case .file:
            let file = try needed(file)
            made.body = .media(file.bytes, file.whole)
            made.type = file.item.type.mime
        case .range:
            let file = try needed(file)
            made.body = .media(file.bytes, file.range ?? file.whole)
            made.type = "application/octet-stream"
        case .text(let template):
            made.body = .bytes(Array((try template.text(in: scope) ?? "").utf8))
            made.type = "text/plain; charset=utf-8"
        case .template(let template):
            made.body = .pieces(try pieces(template, in: scope, file: file))
            made.type = "text/plain; charset=utf-8"
        case .multipart(let parts):
            (made.body, made.type, made.fields) = try multipart(parts, in: scope, file: file, boundary: boundary)
        }
        if let type { made.type = try type.header(in: scope) ?? made.type }
        return made
    }

    private func needed(_ file: SentFile?) throws(RecipeFault) -> SentFile {
        guard let file else { throw RecipeFault(place, "There is no file to send here.") }
        return file
    }

    private func texts(
        of fields: [Recipe.Field], in scope: ExpressionScope
    ) throws(RecipeFault) -> [WebForm.Field] {
        var texts: [WebForm.Field] = []
        var room = Recipe.Request.mostText
        for field in fields {
            for text in try field.value.texts(in: scope) {
                try Recipe.Request.take(text, of: &room, field.place)
                texts.append((field.name, text))
            }
        }
        return texts
    }

    private func pieces(
        _ template: RecipeTemplate, in scope: ExpressionScope, file: SentFile?
    ) throws(RecipeFault) -> [BodyPiece] {
        var pieces: [BodyPiece] = []
        for piece in template.pieces {
            switch piece {
            case .text(let text): pieces.append(.text(text))
            case .value(let expression):
                let value = try expression.evaluate(in: scope)
                if !value.isNothing { pieces.append(.text(try RecipeTemplate.text(of: value, at: template.place))) }
            case .file:
                let file = try needed(file)
                pieces.append(.base64(file.bytes, file.whole))
            }
        }
        return pieces
    }

    private func multipart(
        _ parts: [Recipe.Part], in scope: ExpressionScope, file: SentFile?, boundary: String?
    ) throws(RecipeFault) -> (HTTPBody, String, [WebForm.Field]) {
        var made: [MultipartForm.Part] = []
        var fields: [WebForm.Field] = []
        var room = Recipe.Request.mostText
        for part in parts {
            guard let name = try part.name.text(in: scope) else { continue }
            let type = try part.type?.header(in: scope)
            switch part.content {
            case .text(let template):
                for text in try template.texts(in: scope) {
                    try Recipe.Request.take(text, of: &room, part.place)
                    made.append(.init(name, type: type, .text(text)))
                    fields.append((name, text))
                }
            case .json(let template):
                let text = try template.json(in: scope)
                try Recipe.Request.take(text, of: &room, part.place)
                made.append(.init(name, type: type ?? "application/json", .text(text)))
            case .file, .range:
                let file = try needed(file)
                var range = file.whole
                if case .range = part.content { range = file.range ?? range }
                made.append(
                    .init(
                        name, filename: try part.filename?.text(in: scope) ?? file.item.name,
                        type: type ?? file.item.type.mime, .media(file.bytes, range)))
            }
        }
        do throws(HTTPFailure) {
            let form = try MultipartForm(made, boundary: boundary)
            return (form.body, form.contentType, fields)
        } catch {
            throw RecipeFault(place, "A part of this body cannot be sent: check its “type”.")
        }
    }
}
