internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitPlatform
internal import SystemPackage

/// `submit receive --to nas,cloud`, and what there is of invites.
struct ReceiveGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive", abstract: "Let a phone send its photos here, and see where each is safe.",
        usage: """
            submit receive [--to DESTINATION,...] [OPTIONS]
            submit receive list [--json]
            submit receive revoke INVITE
            """,
        subcommands: [ReceiveVerb.self, ReceiveList.self, ReceiveRevoke.self], defaultSubcommand: ReceiveVerb.self)
}

/// `submit receive [begin] --to nas,cloud`
struct ReceiveVerb: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "begin", abstract: "Show a code; whoever scans it may send, until it is ended.",
        usage: "submit receive [--to DESTINATION,...] [OPTIONS]",
        discussion: """
            The phone needs no app and no account: it opens a page of this computer, by TLS with a certificate that this \
            computer signed itself, and warns once. Each code is for one device. What has arrived is written down as \
            what `submit` takes from a folder, and goes to its destinations at once; Ctrl-C loses nothing.

            Examples:
              submit receive --to nas,cloud
              submit receive --to nas --once
              submit receive list
            """)

    @OptionGroup var target: TargetOptions

    @Option(help: "What is said with each photo.") var caption: String?

    @Flag(help: "One device, and then the end.") var once = false

    @Option(name: .customLong("for"), help: ArgumentHelp("How long it listens, such as 10m.", valueName: "time"))
    var span: TimeSpan?

    @Option(help: ArgumentHelp("So many files a device at the most.", valueName: "count")) var maxFiles: Int?

    @Option(help: ArgumentHelp("So many bytes a device at the most, such as 10G.", valueName: "size"))
    var maxBytes: TypedSize?

    @Option(help: "The port; without: the one of the last time, or any that is free.") var port: Int?

    @Option(
        help: ArgumentHelp(
            "The address of this machine to listen at; without: the one by which it reaches others.",
            valueName: "address"))
    var bind: String?

    @Flag(help: "Listen at all addresses of this machine.") var any = false

    @Option(help: ArgumentHelp("A certificate in PEM, with its chain.", valueName: "file"), completion: .file())
    var cert: String?

    @Option(help: ArgumentHelp("Its key in PEM.", valueName: "file"), completion: .file()) var key: String?

    @Flag(help: "Speak plain http: anyone on the same network can read along.") var insecureHttp = false

    @Flag(help: "Compare words on both screens before a device may send.") var confirm = false

    @Flag(help: "Let LocalSend's apps send, too, by a PIN.") var localSend = false

    @Option(
        help: ArgumentHelp(
            "Keep what arrives in this folder, too; without: until its destinations hold verified copies.",
            valueName: "folder"), completion: .directory)
    var keep: String?

    @Flag(help: "One JSON object a line for every stage, instead of text.") var json = false

    @Flag(name: [.short, .long], help: "Tell each request on standard error, without its secrets.") var verbose = false

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if (cert == nil) != (key == nil) { throw ValidationError("--cert and --key belong together: give both.") }
        if insecureHttp, cert != nil { throw ValidationError("--insecure-http needs no certificate: leave one out.") }
        if any, bind != nil {
            throw ValidationError("--any listens at all addresses, --bind at one: take one of them.")
        }
        if let port, !(1...65535).contains(port) { throw ValidationError("A port is a number from 1 to 65535.") }
        if let maxFiles, maxFiles < 1 { throw ValidationError("With --max-files 0 nothing could be sent.") }
        if let maxBytes, maxBytes.bytes < 1 { throw ValidationError("With --max-bytes 0 nothing could be sent.") }
        if let span, span.seconds < 1 { throw ValidationError("--for takes a time such as 10m.") }
    }

    func run() async throws {
        var names = target.names
        if names.isEmpty { names = try Session.catalog().defaults() }
        if names.isEmpty { names = ["file"] }
        var order = ReceiveOrder(destinations: names, version: ProgramVersion.number)
        order.album = target.album
        order.caption = caption
        order.isOnce = once
        order.seconds = span?.seconds
        order.files = maxFiles
        order.bytes = maxBytes?.bytes
        order.port = port
        order.address = bind
        order.listensEverywhere = any
        order.certificate = cert
        order.key = key
        order.allowsPlainHTTP = insecureHttp
        order.confirms = confirm
        order.takesLocalSend = localSend
        order.keep = try keep.map { try SourcePaths.resolve([$0], separator: 0x0a)[0].string }
        order.isJSON = json
        order.isVerbose = verbose
        try ServingProgram.become(order)
    }
}

/// The program beside `submit` that links a server.
enum ServingProgram {
    /// Puts it in the place of this process, with its terminal.
    static func become(_ order: ReceiveOrder) throws(SubmitFailure) -> Never {
        let program = path
        Output.flush()
        // What this process ignores is ignored by the next, too, and it sets its own.
        signal(SIGPIPE, SIG_DFL)
        let words: [String] = [program.string, "receive", order.argument]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        execv(program.string, arguments)
        let error = Errno(rawValue: errno)
        throw error == .noSuchFileOrDirectory
            ? .usage("There is no \(program), which comes with submit: install it beside it.")
            : .usage("\(program) cannot be begun (\(error)): install it anew.")
    }

    private static var path: FilePath {
        guard let own = realpath("/proc/self/exe", nil) else { return "submit-serve" }
        defer { free(own) }
        return FilePath(String(cString: own)).removingLastComponent().appending("submit-serve")
    }
}
