internal import ArgumentParser
internal import SubmitEngine

/// Options of every verb that sends.
struct RunOptions: ParsableArguments {
    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say only what went wrong.")
    var quiet = false

    @Flag(
        name: .shortAndLong,
        help: "Say more: each failure of an attempt, when it is tried again, what each copy is proven by.")
    var verbose = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("At most this many submissions at once at each destination.", valueName: "number"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "How long to wait for destinations that are down before leaving them for `submit resume`: seconds, or such as 5m.",
            valueName: "seconds"),
        transform: RunOptions.seconds)
    var wait = 30

    @Option(
        name: .customLong("bwlimit"),
        help: ArgumentHelp(
            "Send at most so many bytes a second in all: 500k, 2M or off, and with hours “08:00-23:00 1M, 5M”. `submit limit` changes it meanwhile.",
            valueName: "rate"),
        transform: { try BandwidthSchedule($0) })
    var bandwidth: BandwidthSchedule?

    @Option(
        help: ArgumentHelp(
            "Send no longer than this, such as 6h; the rest waits for `submit resume`.", valueName: "time"))
    var maxDuration: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "Stop when so much went out, such as 10G; the rest waits for `submit resume`.", valueName: "size"))
    var maxTransfer: TypedSize?

    func validate() throws {
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs must be from 1 to 256.") }
        if verbose, quiet { throw ValidationError("--verbose and --quiet exclude each other.") }
        if wait < 0 { throw ValidationError("--wait must not be negative.") }
    }

    private static func seconds(_ text: String) throws -> Int {
        guard let seconds = Int(text) ?? TimeSpan(argument: text)?.seconds else {
            throw ValidationError("“\(text)” is no time to wait: give seconds, or such as 90s, 5m or 12h.")
        }
        return seconds
    }

    /// Why a run that goes on for so long, and has sent so much, is to stop; `nil`: it is not.
    func stops(after time: Duration, sent: Int64) -> String? {
        if let maxDuration, time >= .seconds(maxDuration.seconds) {
            return "Stopped after \(maxDuration), as was asked for."
        }
        if let maxTransfer, sent >= maxTransfer.bytes {
            return "Stopped after \(Printable.bytes(sent)), as no more was to be sent."
        }
        return nil
    }

    func makeDisplay() -> any Display {
        if json { return JSONDisplay() }
        if quiet { return LineDisplay(isQuiet: true) }
        // Lines of the log in between would be taken for its own, and written over.
        if Terminal.isThere, !CommandLog.sharesTerminal { return LiveDisplay(isVerbose: verbose) }
        return LineDisplay(isQuiet: false, isVerbose: verbose)
    }
}
