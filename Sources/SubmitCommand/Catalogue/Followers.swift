internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal

/// Destinations that keep a catalogue, and what they are told of ours.
struct Followers {
    private let session: Session
    private let isJSON: Bool
    private let isQuiet: Bool

    init(_ session: Session, isJSON: Bool, isQuiet: Bool = false) {
        (self.session, self.isJSON, self.isQuiet) = (session, isJSON, isQuiet)
    }

    /// Tells them what they have yet to hear.
    ///
    /// - Throws: the exit status, where not all of it was told; when the journal fails.
    func tell() async throws {
        let status = try await told()
        if status != .done { throw status }
    }

    /// Tells them, and gives what is to be said of it.
    ///
    /// - Parameter names: what comes of others does not count in that; none: all do.
    func told(counting names: Set<String> = []) async throws(SubmitFailure) -> ExitStatus {
        func counts(_ name: String) -> Bool { names.isEmpty || names.contains(name) }
        var status = ExitStatus.done
        for tally in try await session.journal.untoldTallies() where tally.waiting > 0 {
            // Of what is no longer configured `submit status` tells.
            guard session.catalog.isConfigured(tally.destination) else { continue }
            do throws(SubmitFailure) {
                session.manager.add(try session.catalog.destination(tally.destination))
            } catch {
                let told = waits(tally.destination, error)
                if counts(tally.destination) { status = status.worse(told) }
            }
        }
        for report in try await session.manager.tellCatalogue() {
            let name = report.destination
            if isJSON {
                JSONOutput.print([
                    "event": "catalogue-told", "destination": name, "pictures": report.told,
                    "removed_there": report.removedThere,
                ])
            } else if report.told > 0, !isQuiet {
                let heard = report.told - report.removedThere
                if heard > 0 { Output.line("\(name) has heard of \(Printable.count(heard, "picture")).") }
                if report.removedThere > 0 {
                    let count = Printable.count(report.removedThere, "picture")
                    Output.line("At \(name) somebody removed \(count): that stays so.")
                }
            }
            for trouble in report.troubles {
                ErrorReport.tell(trouble, about: ["destination": name])
                if counts(name) { status = status.worse(.failed) }
            }
            if let failure = report.failure {
                let told = waits(name, failure)
                if counts(name) { status = status.worse(told) }
            }
        }
        return status
    }

    private func waits(_ name: String, _ failure: SubmitFailure) -> ExitStatus {
        ErrorReport.warn(
            code: failure.code, "\(name) hears of it with `submit resume`: \(failure.advised(at: name))")
        return .waiting
    }
}
