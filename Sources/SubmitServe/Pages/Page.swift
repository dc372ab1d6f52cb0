internal import Submit
internal import Crypto
internal import HTTPTypes
internal import Hummingbird

/// What browsers are shown. It knows what is told of a session, and nothing else.
struct Page: Sendable {
    /// Stands in the addresses of all that never changes: with another build it is another.
    let mark: String

    init() {
        var hash = SHA256()
        for file in PageAssets.files {
            file.text.withUTF8Buffer { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        }
        mark = Hexadecimal.text(of: Array(hash.finalize()).prefix(6))
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "json": "application/json", "svg": "image/svg+xml",
    ]

    private static func text(_ name: String) -> String {
        PageAssets.files.first { $0.name == name }.map { String(describing: $0.text) } ?? ""
    }

    /// The page that sends photos.
    func start(_ inquiry: Inquiry) -> Response {
        let claim = "/r/\(inquiry.arguments[0].escaping(.ofAttributes))/claim"
        return .html(
            Self.text("index.html").replacing("{{assets}}", with: "/assets/\(mark)").replacing("{{claim}}", with: claim)
        )
    }

    func asset(_ inquiry: Inquiry) throws(WebRefusal) -> Response {
        let name = inquiry.arguments[1]
        guard inquiry.arguments[0] == mark, !name.hasSuffix(".html"),
            let file = PageAssets.files.first(where: { $0.name == name }),
            let type = Self.types[String(name.split(separator: ".").last ?? "")]
        else { throw WebRefusal(.notFound, "nothing-here", "There is nothing here.") }
        return file.text.withUTF8Buffer {
            .text($0, type, .ok, [.cacheControl: "public, max-age=31536000, immutable"])
        }
    }

    // MARK: Without scripts

    /// The form, with what is known of the files.
    func form(_ report: SessionReport, _ outcome: FormUpload.Outcome? = nil) -> Response {
        var notices = ""
        if let outcome {
            notices += Self.paragraph("\(outcome.arrived) arrived.")
            for (name, why) in outcome.refused { notices += Self.paragraph("\(name): \(why)") }
        }
        if report.session.state != "open" {
            notices += Self.paragraph("Compare: \(report.session.words.joined(separator: " "))")
        }
        let rows = report.changes.files.map { file in
            let places = file.destinations.map {
                "\($0.destination): \($0.evidence ?? $0.state)\($0.message.map { " (\($0))" } ?? "")"
            }
            let told = file.message ?? (places.isEmpty ? file.state : places.joined(separator: ", "))
            return "<li><b>\(file.name.escaping(.ofAttributes))</b> \(told.escaping(.ofAttributes))</li>"
        }
        return .html(
            Self.text("form.html").replacing("{{assets}}", with: "/assets/\(mark)")
                .replacing("{{notices}}", with: notices).replacing("{{files}}", with: rows.joined()))
    }

    func refusal(_ refusal: WebRefusal) -> Response {
        .html(
            Self.text("form.html").replacing("{{assets}}", with: "/assets/\(mark)")
                .replacing("{{notices}}", with: Self.paragraph(refusal.message)).replacing("{{files}}", with: ""),
            refusal.status, refusal.fields)
    }

    private static func paragraph(_ text: String) -> String {
        "<p class=\"notice\">\(text.escaping(.ofAttributes))</p>"
    }
}
