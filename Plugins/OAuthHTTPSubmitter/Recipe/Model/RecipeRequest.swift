extension Recipe {
    struct Request: Sendable {
        let place: RecipePlace
        /// Upper case.
        let method: String
        /// Values in it are percent-encoded; but a template that begins with an expression begins with a URL.
        let url: RecipeTemplate
        let query: [Field]
        let headers: [Field]
        /// Headers whose value is JSON in one line of ASCII.
        let jsonHeaders: [(name: String, value: JSONTemplate, place: RecipePlace)]
        let credential: Credential
        let body: Body
        /// Empty: any 2xx.
        let expected: [StatusRange]
        /// `Expect: 100-continue`
        let asksToContinue: Bool
        /// Seconds.
        let timeout: Int64?
    }

    /// What a request shows to be let in.
    enum Credential: Sendable, Hashable {
        case none
        /// The destination's own.
        case standard
        /// A secret capture of `after_login`, in place of the access token.
        case kept(String)
    }

    /// A named text of a query, a form or a header. A list is repeated under the same name; nothing is left out.
    struct Field: Sendable {
        let place: RecipePlace
        let name: String
        let value: RecipeTemplate
    }

    struct Body: Sendable {
        enum Content: Sendable {
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

        let place: RecipePlace
        let content: Content
        /// The `Content-Type`, where it is not the one that the content has by itself.
        let type: RecipeTemplate?
    }

    /// A part of a multipart body.
    struct Part: Sendable {
        enum Content: Sendable {
            case text(RecipeTemplate)
            case json(JSONTemplate)
            case file
            case range
        }

        let place: RecipePlace
        let name: RecipeTemplate
        let content: Content
        /// Of files and ranges; `file.name` where it is `nil`.
        let filename: RecipeTemplate?
        /// The part's `Content-Type`; `file.mime` for files and ranges, `application/json` for JSON, none for text.
        let type: RecipeTemplate?
    }
}
