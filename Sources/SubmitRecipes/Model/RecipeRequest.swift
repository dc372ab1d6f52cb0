extension Recipe {
    package struct Request: Sendable {
        package let place: RecipePlace
        /// Upper case.
        package let method: String
        /// Values in it are percent-encoded; but a template that begins with an expression begins with a URL.
        package let url: RecipeTemplate
        package let query: [Field]
        package let headers: [Field]
        /// Headers whose value is JSON in one line of ASCII.
        package let jsonHeaders: [(name: String, value: JSONTemplate, place: RecipePlace)]
        package let credential: Credential
        package let body: Body
        /// Empty: any 2xx.
        package let expected: [StatusRange]
        /// `Expect: 100-continue`
        package let asksToContinue: Bool
        /// Seconds.
        package let timeout: Int64?
    }

    /// What a request shows to be let in.
    package enum Credential: Sendable, Hashable {
        case none
        /// The destination's own.
        case standard
        /// A secret capture of `after_login`, in place of the access token.
        case kept(String)
    }

    /// A named text of a query, a form or a header. A list is repeated under the same name; nothing is left out.
    package struct Field: Sendable {
        package let place: RecipePlace
        package let name: String
        package let value: RecipeTemplate
    }

    package struct Body: Sendable {
        package enum Content: Sendable {
            case none
            case json(JSONTemplate)
            case form([Field])
            /// The whole file.
            case file
            /// The piece of a chunk loop.
            case range
            case text(RecipeTemplate)
            case multipart([Part])
            /// Text with ``RecipeTemplate/Piece/file`` in it, which is streamed.
            case template(RecipeTemplate)
        }

        package let place: RecipePlace
        package let content: Content
        /// The `Content-Type`, where it is not the one that the content has by itself.
        package let type: RecipeTemplate?

        /// It sends the item, or a piece of it.
        package var sendsFile: Bool {
            switch content {
            case .none, .json, .form, .text: false
            case .file, .range, .template: true
            case .multipart(let parts):
                parts.contains { part in
                    switch part.content {
                    case .file, .range: true
                    case .text, .json: false
                    }
                }
            }
        }
    }

    /// A part of a multipart body.
    package struct Part: Sendable {
        package enum Content: Sendable {
            case text(RecipeTemplate)
            case json(JSONTemplate)
            case file
            case range
        }

        package let place: RecipePlace
        package let name: RecipeTemplate
        package let content: Content
        /// Of files and ranges; `file.name` where it is `nil`.
        package let filename: RecipeTemplate?
        /// The part's `Content-Type`; `file.mime` for files and ranges, `application/json` for JSON, none for text.
        package let type: RecipeTemplate?
    }
}

extension Recipe.Request {
    /// The same with one more field of the query.
    package func adding(_ name: String, _ value: RecipeValue) -> Recipe.Request {
        let field = Recipe.Field(
            place: place, name: name, value: RecipeTemplate(place: place, pieces: [.value(.literal(value))]))
        return changed(url: url, query: query.filter { $0.name != name } + [field])
    }

    /// The same for a URL that the service gave.
    package func at(_ url: String) -> Recipe.Request {
        changed(url: RecipeTemplate(place: place, pieces: [.value(.literal(.text(url)))]), query: [])
    }

    private func changed(url: RecipeTemplate, query: [Recipe.Field]) -> Recipe.Request {
        Recipe.Request(
            place: place, method: method, url: url, query: query, headers: headers, jsonHeaders: jsonHeaders,
            credential: credential, body: body, expected: expected, asksToContinue: asksToContinue, timeout: timeout)
    }
}
