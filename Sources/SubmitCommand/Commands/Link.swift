internal import ArgumentParser
internal import Logging
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal

/// `submit link`
struct Link: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Make links to submitted items that work for a while.",
        discussion: "Whoever has such a link can read the copy until it ends, without any credentials.")

    @Argument(help: "Submissions, by their numbers in `submit list`.")
    var submissions: [SubmissionID]

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long the links work, such as 30m, 12h or 7d.", valueName: "time"))
    var life = TimeSpan(seconds: 86_400)

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if submissions.isEmpty { throw ValidationError("Name submissions by their numbers in `submit list`.") }
        if life.seconds < 1 { throw ValidationError("--for must be at least 1s.") }
    }

    func run() async throws {
        let session = try Session()
        var isFine = true
        for id in submissions {
            do throws(SubmitFailure) {
                let (name, destination, url) = try await link(id, session)
                if json {
                    JSONOutput.print([
                        "submission": id, "name": name, "destination": destination, "link": url,
                        "expires": JSONOutput.time(Timestamp.now.advanced(by: .seconds(life.seconds))),
                    ])
                } else {
                    Output.line(url)
                }
            } catch {
                isFine = false
                ErrorReport.tell(error, about: ["submission": id])
            }
        }
        if !isFine { throw ExitStatus.failed }
    }

    private func link(
        _ id: SubmissionID, _ session: Session
    ) async throws(SubmitFailure) -> (name: String, destination: String, url: String) {
        func refuse(_ code: String, _ sentence: String) -> SubmitFailure {
            SubmitFailure(.giveUp, code: code, message: sentence)
        }
        let found: SubmissionRecord?
        do throws(SubmitFailure) {
            found = try await session.journal.submissions(SubmissionSelection(submission: id)).first
        } catch {
            throw refuse(error.code, error.message)
        }
        guard let record = found else {
            throw refuse("unknown-submission", "There is no submission \(id): `submit list` shows their numbers.")
        }
        let (photo, name) = (record.item.name, record.destination)
        guard record.state == .done, let receipt = record.receipt else {
            throw refuse(
                "not-done",
                "“\(photo)” is not at \(name) (\(record.state.name)): `submit resume` sends what is waiting, and "
                    + "`submit retry` what failed.")
        }
        guard let facet = try session.catalog.destination(name).submitter.facets.links else {
            throw refuse("no-links", "“\(photo)” is at \(name), which can make no links that end.")
        }
        guard .seconds(life.seconds) <= facet.longestLife else {
            throw refuse(
                "life",
                "Links to \(name) last at most \(TimeSpan(seconds: Int(facet.longestLife.components.seconds))): shorten --for."
            )
        }
        let link = try await withLogger(CommandLog.logger.doing("link", at: name)) {
            [life] _ async throws(SubmitFailure) in
            try await facet.link(to: receipt, validFor: .seconds(life.seconds))
        }
        return (photo, name, link)
    }
}
