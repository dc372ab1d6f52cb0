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
    ///
    /// A code comes first: of what a screen has no room for, the first lines are gone.
    var lines: [String] {
        switch prompt.task {
        case .open(let url):
            return withCode(
                url,
                [
                    "Open this page in a browser, sign in, and let “\(client.name)” in:", "  " + Printable.line(url),
                    wait,
                ])
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
            return withCode(
                url,
                [
                    "Open this page in any browser, sign in, and let “\(client.name)” in:", "  " + Printable.line(url),
                    "Then paste the code that it shows here, or the address that the browser ends at. \(wait)",
                ])
        case .typeCode(let code):
            return withCode(
                code.completeURL ?? code.url,
                [
                    "Open this page on any computer or phone, sign in, and let “\(client.name)” in:",
                    "  " + Printable.line(code.url), "with this code:", "  " + Printable.line(code.code), wait,
                ])
        case .fill, .nothing: return []
        }
    }

    /// The page's address for a phone's camera before `lines`, if a screen has room for both.
    private func withCode(_ url: String, _ lines: [String]) -> [String] {
        guard Terminal.isThere, let code = QRCode(url) else { return lines }
        let (columns, rows) = Terminal.size
        let used = lines.reduce(1) { $0 + (Printable.width($1) + columns - 1) / columns }
        return (code.lines(columns: columns, rows: rows - used, isColored: Terminal.hasColor) ?? []) + lines
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
