internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal

/// Where batches stand, and which destinations hold something up.
struct StatusLines {
    let journal: any StoreReadings & RemovalReadings
    let json: Bool

    /// Batches with failures that are shown beside the others, at most.
    private static let mostFailed = 5

    /// The batches that `submit status` shows, the newest first, and those among them in which something failed that has not
    /// arrived since.
    static func batches(_ journal: Journal) async throws -> (all: [BatchRecord], failed: [BatchRecord]) {
        let removing = try await journal.batches(journal.removalBatches())
        let failed = try await journal.failedBatches(limit: mostFailed)
        let all = try await (removing + failed + journal.openBatches()).map { ($0.id, $0) }
        return (Dictionary(all) { $1 }.values.sorted { $0.id > $1.id }, failed)
    }

    func show(_ batches: [BatchRecord]) async throws {
        for record in batches { try await record.show(journal, json: json) }
        try await tellOfDestinations()
    }

    /// Destinations that hold something up. One that nothing waits for holds nothing up.
    private func tellOfDestinations() async throws {
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
                if isPaused { Output.line("\(name) is paused; `submit resume` ends that.") }
                if let why = hold?.advised { Output.line("\(name) is on hold: \(Printable.line(why))") }
                if let reason = unusable[name] { Output.line("\(name): \(Printable.line(reason.advised(at: name)))") }
            }
        }
    }
}
