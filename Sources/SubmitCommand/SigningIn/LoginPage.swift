internal import Submit
internal import SubmitEngine

/// What a browser shows that comes back from a login. Static but for one sentence, and asks for nothing else.
struct LoginPage: Sendable, Hashable {
    var status: Int
    var title: String
    var sentence: String

    static let nothingHere = LoginPage(
        status: 404, title: "Nothing here", sentence: "There is nothing at this address.")
    static let wrongMethod = LoginPage(status: 405, title: "Not so", sentence: "This address can only be opened.")
    static let notUnderstood = LoginPage(
        status: 400, title: "Not understood", sentence: "That was no request that makes sense here.")
    static let over = LoginPage(
        status: 410, title: "That login is over", sentence: "What came of it stands where submit was started.")

    init(status: Int, title: String, sentence: String) {
        (self.status, self.title, self.sentence) = (status, title, sentence)
    }

    init(_ reply: LoginReply) {
        switch reply {
        case .signedIn:
            self.init(
                status: 200, title: "That is done",
                sentence: "You can close this page, and go on where submit was started.")
        case .trying:
            self.init(
                status: 200, title: "Nearly done",
                sentence: "The service does not answer submit just now. It is tried again; you can close this page.")
        case .ignored(let failure):
            self.init(status: 400, title: "Not this login", sentence: failure.message + " submit still waits.")
        case .failed(let failure):
            self.init(status: 400, title: "That did not work", sentence: failure.message)
        }
    }

    /// The whole HTTP answer.
    var response: [UInt8] {
        let body = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(Self.escaped(title)) - submit</title>
            <style>body{font:1.1em sans-serif;max-width:32em;margin:15vh auto;padding:0 1em}</style></head>
            <body><h1>\(Self.escaped(title))</h1><p>\(Self.escaped(sentence))</p></body></html>

            """
        let head = [
            "HTTP/1.1 \(status) \(title)", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(body.utf8.count)",
            "Connection: close", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
            "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private static func escaped(_ text: String) -> String {
        Printable.line(text).escaping(.ofAttributes)
    }
}
