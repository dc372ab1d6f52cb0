internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine

/// `submit login`
struct Login: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in at a destination.",
        discussion: """
            Where there is a desktop it opens a browser, which comes back to this program. Elsewhere it prints a page to \
            open on any computer or phone, and waits, or asks for what that page shows in the end: what the destination \
            offers. Passwords and keys of apps are asked for at the terminal without being shown. What the destination \
            gives is kept where only you can read it; `submit secrets` says where.

            Examples:
              submit login blog
              submit whoami blog
            """)

    @Argument(help: "A destination.", completion: Completed.destination)
    var destination: String

    @Flag(help: "Sign in with a browser on this computer, also where none can be opened from here.")
    var browser = false

    @Flag(help: "Sign in on any computer, and paste the code that the page shows or the address the browser ends at.")
    var paste = false

    @Flag(help: "Sign in on another device, with a short code.")
    var device = false

    @Flag(help: "Sign in with what is configured, without anybody.")
    var client = false

    @Flag(help: "Read what is asked for, as KEY=VALUE lines, from standard input.")
    var stdin = false

    @Flag(help: "Print the page's address only; without: a browser is opened where there is a desktop.")
    var noBrowser = false

    @Option(help: "Seconds to wait for you; without: as long as the destination does.")
    var wait: Int?

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    private var wanted: [LoginMethod] {
        [(browser, LoginMethod.browser), (paste, .paste), (device, .device), (client, .client), (stdin, .typed)]
            .filter(\.0).map(\.1)
    }

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if let wait, wait < 0 { throw ValidationError("--wait must not be negative.") }
        if wanted.count > 1 {
            throw ValidationError("Only one of --browser, --paste, --device, --client and --stdin can be.")
        }
    }

    func run() async throws {
        let session = try Session()
        let keeper = try LoginStore(destination, session.catalog)
        try keeper.checkUse()
        let opensBrowser = !noBrowser && !json
        var talk = LoginSession(
            keeper: keeper, session: session, isJSON: json, limit: wait.map { Duration.seconds($0) },
            say: json ? Self.record : Self.say,
            open: { url in if opensBrowser { Browser.open(url) } })
        talk.choice = MethodChoice(wanted: wanted.first, hasDesktop: Browser.isThere)
        talk.input = stdin ? .lines : .terminal
        // What is pasted may come from a program too.
        talk.answers = paste || isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : nil
        let work = Task { [talk] in await talk.signIn() }
        let advice = "submit: interrupted; nothing has changed."
        let interrupts = Interrupts(advice: { advice }, first: { work.cancel() })
        let failure = await work.value
        interrupts.end()
        guard let failure else {
            // What a login gives may be settings, too.
            return await KnownReadiness.note(keeper.name, isReady: true, try Session.catalog())
        }
        if failure == .cancelled {
            Output.trouble(advice)
            throw ExitStatus.interrupted
        }
        if failure.code == "usage" { throw failure }
        ErrorReport.tell(failure, about: ["destination": keeper.name])
        throw ExitStatus.failed
    }

    /// At once: whoever reads it has to act.
    @Sendable private static func say(_ line: String) {
        Output.line(line)
        Output.flush()
    }

    @Sendable private static func record(_ line: String) {
        Output.record(line)
        Output.flush()
    }
}
