internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// `submit login`
struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign in at a destination with a browser.",
        discussion: """
            Prints a page to open, on this computer or another, and waits until you have signed in there. What the \
            destination gives then is kept in a file only you can read. No password is typed here.
            """)

    @Argument(help: "A destination.")
    var destination: String

    @Flag(help: "Print the page's address only; without: a browser is opened where there is a desktop.")
    var noBrowser = false

    @Option(help: "Seconds to wait for you; without: as long as the destination does.")
    var wait: Int?

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    func validate() throws {
        if let wait, wait < 0 { throw ValidationError("--wait must not be negative.") }
    }

    func run() async throws {
        let session = try Session()
        let keeper = try LoginKeeper(destination, session.catalog)
        try keeper.checkUse()
        let opensBrowser = !noBrowser && !json
        let talk = LoginTalk(
            keeper: keeper, session: session, isJSON: json, limit: wait.map { Duration.seconds($0) }, say: Self.say,
            open: { url in if opensBrowser { Browser.open(url) } })
        let work = Task { await talk.signIn() }
        let advice = "submit: interrupted; nothing has changed."
        let interrupts = Interrupts(advice: { advice }, first: { work.cancel() })
        let failure = await work.value
        interrupts.end()
        guard let failure else { return }
        if failure == .cancelled {
            Output.trouble(advice)
            throw ExitStatus.interrupted
        }
        Output.trouble("submit: \(Printable.line(failure.sentence))")
        throw ExitStatus.failed
    }
}

extension Login {
    /// At once: whoever reads it has to act.
    @Sendable private static func say(_ line: String) {
        Output.line(line)
        Output.flush()
    }
}

/// What is said to the person who signs in, and done with what comes of it.
struct LoginTalk: Sendable {
    let keeper: LoginKeeper
    let session: Session
    let isJSON: Bool
    var limit: Duration?
    let say: @Sendable (String) -> Void
    let open: @Sendable (String) -> Void

    /// - Returns: why it was not done; `nil` when it is.
    func signIn() async -> SubmitFailure? {
        let name = keeper.name
        let client = LoginClient(name: "submit on \(Self.hostName)")
        do throws(SubmitFailure) {
            let grant = try await session.manager.login(at: name, as: client, within: limit) { prompt in
                show(prompt, client)
            }
            try await keeper.keep(grant)
            tell(grant, owed: try await released())
            return nil
        } catch {
            return error
        }
    }

    private func show(_ prompt: LoginPrompt, _ client: LoginClient) {
        let url = prompt.url ?? ""
        let seconds = limit.map { min(Int($0.components.seconds), prompt.seconds) } ?? prompt.seconds
        if isJSON {
            let end = Timestamp.now.advanced(milliseconds: Int64(seconds) * 1000)
            say(
                JSONLine.text([
                    "event": "open", "destination": keeper.name, "url": url, "until": JSONLine.time(end),
                ]))
        } else {
            say(
                """
                Open this page in a browser, sign in, and let “\(client.name)” in:
                  \(Printable.line(url))
                Waiting for \(Printable.time(seconds: Double(seconds))); Ctrl-C breaks off.
                """)
        }
        open(url)
    }

    /// Lets the destination go on.
    ///
    /// - Returns: how much is owed to it.
    private func released() async throws(SubmitFailure) -> Int {
        do throws(JournalFailure) {
            try await session.manager.credentialsRenewed(at: keeper.name)
            return try session.journal.tallies(SubmissionSelection(destination: keeper.name))
                .filter { $0.state == .queued || $0.state == .running }.reduce(0) { $0 + $1.count }
        } catch {
            throw SubmitFailure(.giveUp, code: error.code, error.sentence)
        }
    }

    private func tell(_ grant: LoginGrant, owed: Int) {
        if isJSON {
            say(
                JSONLine.text([
                    "event": "signed-in", "destination": keeper.name, "account": grant.account, "owed": owed,
                ]))
            return
        }
        let keys = grant.secrets.keys.sorted().joined(separator: ", ")
        say(
            Printable.line(
                "“\(grant.account)” is signed in at \(keeper.name); the \(keys) is in "
                    + "\(keeper.catalog.places.secrets), which only you can read."))
        if owed > 0 {
            say("\(Printable.count(owed, "submission")) owed to \(keeper.name): `submit resume` goes on.")
        }
    }

    /// As far as a header and a page can show it.
    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        gethostname(&bytes, bytes.count - 1)
        let name = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let shown = name.filter { (0x21...0x7e).contains($0) }.prefix(64)
        return shown.isEmpty ? "a computer" : String(decoding: shown, as: UTF8.self)
    }
}
