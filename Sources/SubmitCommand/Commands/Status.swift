internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// `submit status [BATCH]`
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show how many submissions are done, failed and waiting, and what they wait for.")

    @Argument(help: "A batch. Without: those that are owed something or have sources to remove yet, and the last one.")
    var batch: BatchID?

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    func run() async throws {
        let journal = try Journal(path: Places().journal)
        // What dead processes hold is not running.
        _ = try? await journal.sweep()
        try await journal.check(SubmissionSelection(batch: batch))
        for record in try await records(journal) {
            try await record.show(journal, json: json)
        }
        try await tellOfDestinations(journal)
    }

    /// Destinations that hold something up. What no one is owed waits for nothing.
    private func records(_ journal: any Listing) async throws -> [BatchRecord] {
        if let batch { return try await journal.batches([batch]) }
        return try await journal.openBatches()
    }

    private func tellOfDestinations(_ journal: any Listing) async throws {
        let owed = try await journal.owed(nil)
        let catalog = try? Session.catalog()
        let unusable = catalog?.unusable(Set(owed.keys)) ?? [:]
        let states = Dictionary(try await journal.destinationStates().map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        for name in Set(states.keys).union(unusable.keys).sorted() {
            let state = states[name]
            let isKnown = owed[name] != nil || (try? catalog?.canonicalName(name)) != nil
            let isPaused = isKnown && state?.isPaused ?? false
            let parking = owed[name] != nil && unusable[name] == nil && state?.parking != nil ? state : nil
            guard isPaused || parking != nil || unusable[name] != nil else { continue }
            if json {
                var object: [String: Any] = ["destination": name, "paused": isPaused, "owed": owed[name]?.count ?? 0]
                object["parked"] = parking.flatMap { JSONLine.parking(of: $0) }
                object["message"] = unusable[name]?.advised(at: name)
                JSONLine.print(object)
            } else {
                if isPaused { print("\(name) is paused; `submit resume` ends that.") }
                if let why = parking?.advised { print("\(name) waits: \(Printable.line(why))") }
                if let reason = unusable[name] { print("\(name): \(Printable.line(reason.advised(at: name)))") }
            }
        }
    }
}
