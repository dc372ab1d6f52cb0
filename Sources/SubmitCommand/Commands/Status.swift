internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// `submit status [BATCH]`
struct Status: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how many submissions are done, failed and waiting, and what they wait for.")

    @Argument(
        help:
            "A batch. Without: those in which something is waiting or sources are to be removed yet, and the last one.")
    var batch: BatchID?

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let journal = try Journal(toRead: AppPaths().journal)
        // What dead processes hold is not running.
        _ = try? await journal.sweep()
        try await journal.check(SubmissionSelection(batch: batch))
        for record in try await records(journal) {
            try await record.show(journal, json: json)
        }
        try await tellOfDestinations(journal)
    }

    /// Destinations that hold something up. One that nothing waits for holds nothing up.
    private func records(_ journal: any StoreReadings) async throws -> [BatchRecord] {
        if let batch { return try await journal.batches([batch]) }
        return try await journal.openBatches()
    }

    private func tellOfDestinations(_ journal: any StoreReadings) async throws {
        let waiting = try await journal.waiting(nil)
        let catalog = try? Session.catalog()
        let unusable = catalog?.unusable(Set(waiting.keys)) ?? [:]
        let states = Dictionary(try await journal.destinationStates().map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        for name in Set(states.keys).union(unusable.keys).sorted() {
            let state = states[name]
            let isKnown = waiting[name] != nil || (try? catalog?.canonicalName(name)) != nil
            let isPaused = isKnown && state?.isPaused ?? false
            let hold = waiting[name] != nil && unusable[name] == nil && state?.hold != nil ? state : nil
            guard isPaused || hold != nil || unusable[name] != nil else { continue }
            if json {
                var object: [String: Any] = [
                    "destination": name, "paused": isPaused, "waiting": waiting[name]?.count ?? 0,
                ]
                object["on_hold"] = hold.flatMap { JSONOutput.hold(of: $0) }
                object["message"] = unusable[name]?.advised(at: name)
                JSONOutput.print(object)
            } else {
                if isPaused { print("\(name) is paused; `submit resume` ends that.") }
                if let why = hold?.advised { print("\(name) is on hold: \(Printable.line(why))") }
                if let reason = unusable[name] { print("\(name): \(Printable.line(reason.advised(at: name)))") }
            }
        }
    }
}
