internal import ArgumentParser
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine

/// `submit limit [DESTINATION [RATE]]`
struct Limit: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "Say how many bytes a second may go out, also while something is being sent.",
        usage: """
            submit limit [--json]
            submit limit DESTINATION RATE
            submit limit --total RATE
            """,
        discussion: """
            A rate is such as 500k, 2M or off, and with hours “08:00-23:00 1M, 5M”; “default” forgets what was asked for, \
            so that `bandwidth` of the configuration counts again. It counts for every process that sends, from now on; \
            each gets as much. What a destination's program sends is bounded as far as it lets itself be.
            """)

    @Argument(help: "The destination.", completion: Completed.destination) var destination: String?

    @Argument(help: "How many bytes a second, or “default”.") var rate: String?

    @Option(help: ArgumentHelp("The same as naming it.", valueName: "destination"), completion: Completed.destination)
    var to: String?

    @Option(
        help: ArgumentHelp("That of all destinations together, or “default”.", valueName: "rate"))
    var total: String?

    @Flag(help: "One JSON object a line instead of text.") var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if to != nil, destination == nil || rate != nil {
            throw ValidationError("With --to, name the rate alone: `submit limit --to \(to ?? "nas") 500k`.")
        }
        guard to == nil, let word = destination, rate == nil else { return }
        if word == "default" || (try? BandwidthSchedule(word)) != nil {
            throw ValidationError(
                "Name the destination, too: `submit limit NAME \(word)`. For all together: `submit limit --total \(word)`."
            )
        }
        throw ValidationError("Add the rate: `submit limit \(word) 500k`, or “off” or “default”.")
    }

    func run() async throws {
        let session = try Session()
        // Both are read before one of them counts.
        let (destination, rate) = to == nil ? (self.destination, self.rate) : (to, self.destination)
        let wanted = try rate.map { try schedule($0) }
        let all = try total.map { try schedule($0) }
        if let destination, let wanted {
            let name = try await session.knownName(destination)
            try await session.manager.limit(name, to: wanted)
        }
        if let all { try await session.manager.limit(nil, to: all) }
        try await show(session)
    }

    private func schedule(_ text: String) throws(SubmitFailure) -> BandwidthSchedule? {
        text == "default" ? nil : try BandwidthSchedule(text)
    }

    private func show(_ session: Session) async throws {
        let used = Set(try await session.journal.destinationNames())
        let names = session.catalog.names.filter { session.catalog.isSetUp($0) || used.contains($0) }
        var lines: [(name: String?, asked: BandwidthSchedule?, configured: BandwidthSchedule?, quiet: [DailyHours])] = [
            (nil, try await session.manager.askedLimit(of: nil), try session.catalog.bandwidth(), [])
        ]
        for name in names {
            let limits = try session.catalog.limits(of: name)
            lines.append((name, try await session.manager.askedLimit(of: name), limits.bandwidth, limits.quiet))
        }
        for line in lines {
            let counts = line.asked ?? line.configured
            if json {
                var object: [String: Any] = ["event": "limit", "quiet": line.quiet.map(\.description)]
                object["destination"] = line.name
                object["bandwidth"] = counts?.description
                object["from"] = line.asked != nil ? "limit" : line.configured != nil ? "configuration" : nil
                JSONOutput.print(object)
            } else {
                let rest = line.asked.map { _ in " (by `submit limit`)" } ?? ""
                let quiet = line.quiet.isEmpty ? "" : "; quiet \(line.quiet.map(\.description).joined(separator: ", "))"
                Output.line(
                    Printable.line("\(line.name ?? "all together"): \(counts?.description ?? "off")\(rest)\(quiet)"))
            }
        }
    }
}
