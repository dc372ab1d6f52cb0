internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// The last lines of a run: how much stands where, and what to do about the rest.
struct Summary {
    private let report: Report

    init(_ report: Report) {
        self.report = report
    }

    func print() async {
        if let stopped = report.stopped { Output.line(stopped) }
        for destination in report.destinations {
            Output.line(await line(destination))
        }
        if Terminal.isThere, let pace = report.pace, pace.bytes > 0 {
            let seconds = max(0.1, pace.duration / .seconds(1))
            let rate = Printable.bytes(Int64(Double(pace.bytes) / seconds))
            Output.line(
                "took \(Printable.time(seconds: max(1, seconds))): sent \(Printable.bytes(pace.bytes)), \(rate)/s on average"
            )
        }
        if report.refused > 0 {
            Output.line("\(Printable.count(report.refused, "path")) refused; the sentences above say why.")
        }
        if report.datedByFileTime > 0 { Output.line(Self.datedByFileTime(report.datedByFileTime)) }
        report.unchanged.sentences(report.earlier).forEach(Output.line)
        report.leftBehind.sentences.forEach(Output.line)
        let found = report.refused + report.leftBehind.count + report.unchanged.files
        if report.tallies.isEmpty, report.isComplete, found == 0, !report.batches.isEmpty {
            Output.line("There was nothing to submit: no file was found.")
        }
        let removals = report.removals
        if let words = removals.words { Output.line("sources: \(words)") }
        let others = report.others
        if others.done + others.skipped + others.failed + others.waiting > 0 { Output.line(line(others)) }
        let older = report.older.values.reduce(0, +)
        if older > others.waiting {
            Output.line(
                "\(Printable.count(older, "submission")) of other batches still \(older == 1 ? "waits" : "wait") for "
                    + "\(report.older.keys.sorted().map(Printable.line).joined(separator: ", ")): see `submit status`.")
        }
        // The last line of an interrupted run says how to resume it.
        let isInterrupted = report.status == .interrupted
        if !isInterrupted, others.waiting > 0 {
            Output.line("`submit resume` goes on.")
        } else if !isInterrupted, report.waiting + removals.wanted > 0 || !report.isComplete {
            let batches = report.batches.map(String.init).joined(separator: " ")
            Output.line("`submit resume \(batches)` goes on.")
        }
        if report.waiting == 0, removals.wanted > 0 {
            let batches = report.batches.map(String.init).joined(separator: " ")
            Output.line(
                "`submit audit \(batches)` tells which copies are lost, if any, and `submit repair \(batches)` sends them again."
            )
        }
        let failures = await report.failures()
        failures.sentences.forEach { Output.line($0) }
        if failures.doubtful > 0 {
            Output.line(
                "\(Printable.count(failures.doubtful, "submission")) may have arrived all the same: look there, and try those that are "
                    + "missing again with `submit retry --submission NUMBER` (`submit list`).")
        }
        if let closing = ClosingLine(report).text { Output.line(Printable.line(closing)) }
        if let last = report.leftBehind.lastSentence { Output.line(last) }
    }

    /// One sentence for all of them: whoever unpacked an archive has a thousand.
    static func datedByFileTime(_ count: Int) -> String {
        "\(Printable.count(count, "photo or video", "photos and videos")) \(count == 1 ? "has" : "have") no date inside: "
            + "submit used the time of the \(count == 1 ? "file" : "files"), which may be the day of a copy."
    }

    private func line(_ others: Report.Others) -> String {
        let numbers = others.batches.map(String.init).joined(separator: ", ")
        let parts = [
            (others.done, "done"), (others.skipped, "skipped"), (others.failed, "failed"), (others.waiting, "waiting"),
        ]
        .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return
            "\(others.batches.count == 1 ? "batch" : "batches") \(numbers), sent beside this one: \(parts.joined(separator: ", "))"
    }

    private func line(_ destination: String) async -> String {
        var parts: [String] = []
        for (state, word, style) in [
            (SubmissionState.done, "done", Terminal.Style.good), (.failed, "failed", .bad),
            (.cancelled, "cancelled", .waiting),
        ] {
            let count = report.count(state, at: destination)
            if count > 0 { parts.append(Terminal.styled("\(count) \(word)", style)) }
        }
        let skipped = report.skipped(at: destination)
        if skipped > 0 { parts.append(Terminal.styled("\(skipped) skipped", .waiting)) }
        let waiting = report.count(.waiting, at: destination) + report.count(.running, at: destination)
        if waiting > 0 { parts.append(Terminal.styled("\(waiting) waiting", .waiting)) }
        var line = "\(destination): \(parts.joined(separator: ", "))"
        // The bytes are of what is done. Beside what is waiting, “0 B” reads as if there were nothing to send.
        let size = report.doneSize(at: destination)
        if size > 0 || waiting == 0 { line += ", \(Printable.bytes(size))" }
        let state = report.states.first { $0.name == destination && ($0.isPaused || $0.hold != nil) }
        let elsewhere = report.count(.running, at: destination)
        if elsewhere > 0 {
            line += " (\(elsewhere) in the hands of another process, of which nothing was heard: `submit status`)"
        } else if waiting > 0, let reason = report.unusable[destination] {
            line += " (\(Printable.line(reason)))"
        } else if waiting > 0, let state {
            if state.isPaused { line += " (paused)" }
            if let why = state.advised { line += " (\(Printable.line(why)))" }
        } else if waiting > 0, let quiet = report.quiet[destination] {
            let time = Printable.time(seconds: max(1, Double(quiet.components.seconds)))
            line += " (quiet for another \(time), as it is configured)"
        } else if waiting > 0, let record = await next(destination) {
            let due = record.notBefore.flatMap { $0 > .now ? $0 : nil }.map { ", due \(Printable.local($0))" } ?? ""
            line += " (\(Printable.line(record.advised ?? ""))\(due))"
        }
        return line
    }

    /// Of what waits one by one the submission that is due first.
    private func next(_ destination: String) async -> SubmissionRecord? {
        for batch in report.batches {
            let selection = SubmissionSelection(batch: batch, destination: destination)
            if let record = try? await report.journal.nextWaiting(selection) { return record }
        }
        return nil
    }
}
