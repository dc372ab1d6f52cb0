internal import Submit
internal import SubmitConfiguration

/// What a login asks of a person, as text and as JSON.
struct PromptText {
    let prompt: LoginPrompt
    let client: LoginClient
    let life: Duration
    /// Whether what is pasted at the terminal is an answer too.
    let readsAnswers: Bool

    private var wait: String {
        "Waiting for \(Printable.time(seconds: Double(life.components.seconds))); Ctrl-C breaks off."
    }

    /// None where nobody has to do anything.
    var lines: [String] {
        switch prompt.task {
        case .open(let url):
            return ["Open this page in a browser, sign in, and let “\(client.name)” in:", "  " + Printable.line(url)]
                + code(url) + [wait]
        case .openAndReturn(let url):
            var lines = [
                "Open this page in a browser on this computer, sign in, and let “\(client.name)” in:",
                "  " + Printable.line(url), "The browser comes back to \(client.redirect ?? "here"). \(wait)",
            ]
            if readsAnswers {
                lines.append("With a browser on another computer, paste the address here that it ends at.")
            }
            return lines
        case .openAndPaste(let url):
            return ["Open this page in any browser, sign in, and let “\(client.name)” in:", "  " + Printable.line(url)]
                + code(url) + [
                    "Then paste the code that it shows here, or the address that the browser ends at. \(wait)"
                ]
        case .typeCode(let code):
            return [
                "Open this page on any computer or phone, sign in, and let “\(client.name)” in:",
                "  " + Printable.line(code.url), "with this code:", "  " + Printable.line(code.code),
            ] + self.code(code.completeURL ?? code.url) + [wait]
        case .fill, .nothing: return []
        }
    }

    /// The address and what is to be done there must not scroll off the screen.
    private static let linesBeside = 6

    /// The page's address for a phone's camera, if it fits.
    private func code(_ url: String) -> [String] {
        guard Terminal.isThere, let code = QRCode(url), code.columns <= Terminal.columns else { return [] }
        let lines = code.lines(isColored: Terminal.hasColor)
        return lines.count + Self.linesBeside <= Terminal.size.rows ? lines : []
    }

    func object(destination: String) -> [String: Any] {
        let end = Timestamp.now.advanced(by: life)
        var object: [String: Any] = [
            "event": "open", "destination": destination, "method": client.method.rawValue,
            "until": JSONOutput.time(end),
        ]
        object["url"] = prompt.url
        object["redirect"] = client.redirect
        switch prompt.task {
        case .typeCode(let code):
            object["code"] = code.code
            object["complete_url"] = code.completeURL
        case .fill(let fields): object["fields"] = fields.map(\.name)
        case .open, .openAndReturn, .openAndPaste, .nothing: break
        }
        return object
    }
}
