internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitJournal
internal import SystemPackage

/// What `submit` alone says: what is configured, what waits, what was done last, and the next step.
enum Overview {
    /// Nothing but `submit`, or `submit --json`, was typed.
    static var isAskedFor: Bool { CommandLine.arguments.dropFirst().allSatisfy { $0 == "--json" } }

    static func show(json: Bool) async throws {
        let catalog = try Session.catalog()
        let all = await KnownReadiness.all(catalog)
        let destinations = all.filter { $0.state != .notConfigured }
        if json {
            for known in destinations { JSONOutput.print(known.object) }
        } else {
            Output.line("Destinations (a star marks those that are used without --to):")
            for known in destinations { Output.line(Printable.line("  \(known.line)")) }
        }
        var next = first(destinations)
        // Looking leaves nothing behind.
        if FileManager.default.fileExists(atPath: catalog.places.journal.string) {
            let journal = try Journal(path: catalog.places.journal)
            _ = try? await journal.sweep()
            let (batches, failed) = try await StatusLines.batches(journal)
            if !json, !batches.isEmpty { Output.line("What waits, and what was done last:") }
            try await StatusLines(journal: journal, json: json).show(batches)
            next = try await step(journal, batches, failed.first?.id) ?? next
        }
        if json {
            JSONOutput.print(["event": "overview", "next": next])
        } else {
            Output.line("Next: \(next)")
        }
    }

    /// The step for whom there is nothing to go on with.
    private static func first(_ destinations: [KnownReadiness]) -> String {
        if destinations.allSatisfy({ !$0.isConfigured }) {
            return
                "`submit destinations add NAME --type TYPE …` adds a place to send to (`submit types` lists the types); "
                + "`submit photo.jpg` copies into the folder above."
        }
        if let known = destinations.first(where: { $0.isConfigured && $0.state == .notTried }) {
            return "`submit destinations check \(known.name)` tries it."
        }
        return
            "`submit --to \(destinations.first { $0.isConfigured && $0.state == .ready }?.name ?? "NAME") PATH…` sends "
            + "photos; `submit --help` tells the rest."
    }

    /// - Parameter failed: the latest batch in which something failed that has not arrived since.
    private static func step(
        _ journal: Journal, _ batches: [BatchRecord], _ failed: BatchID?
    ) async throws -> String? {
        let running = batches.filter(\.isRunning)
        if !running.isEmpty { return "`submit status --watch` shows how it goes on." }
        let waiting = try await journal.waiting(nil).values.reduce(0) { $0 + $1.count }
        if waiting > 0 { return "`submit resume` sends what is waiting." }
        if batches.contains(where: { !$0.isComplete }) {
            return "`submit resume` accepts the rest of what was asked for."
        }
        guard let failed else { return nil }
        let isWorthRetrying = try await journal.failures(of: [failed]).retriable > 0
        return "`submit list \(failed) --state failed` says why"
            + (isWorthRetrying ? "; `submit retry \(failed)` tries again." : ".")
    }
}
