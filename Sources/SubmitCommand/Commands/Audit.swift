internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitJournal
internal import SubmitNotifications

/// `submit audit [BATCH|DESTINATION...]`
struct Audit: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Ask the destinations what of all that was submitted is there now.",
        discussion: """
            Sends and removes nothing. What cannot be told, such as of a destination that cannot be reached, is never called \
            missing. `submit repair` sends again what has vanished or was changed.

            Examples:
              submit audit
              submit audit nas --verify readback

            Exit codes: 0 all is there; 1 something has vanished, was changed or failed; 3 something is still waiting, was \
            skipped or cannot be told.
            """)

    @Argument(
        help: ArgumentHelp(
            "Batches, by their numbers in `submit status`, and destinations. Without: all.",
            valueName: "batch|destination"), completion: Completed.subject)
    var subjects: [String] = []

    @Option(
        help: ArgumentHelp("Only this destination; may be repeated.", valueName: "destination"),
        completion: Completed.subject)
    var to: [String] = []

    @Option(
        help: ArgumentHelp(
            "How copies are looked at: by what the destination says (usual), or by reading them back (readback), and the "
                + "sources with them.", valueName: "choice"))
    var verify = Verification.usual

    @Flag(help: "One JSON object a line instead of text, for every submission.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func run() async throws {
        let session = try Session(isReading: true)
        let scope = try await session.auditScope(subjects, at: to)
        let report = AuditReport(isJSON: json)
        let isDeep = verify == .readback
        let interrupted = try await session.interruptible { [session] in
            try await session.manager.audit(scope, isDeep: isDeep, unusable: session.reachAll(of: scope)) { page in
                report.show(page)
            }
        }
        let status = interrupted ? .interrupted : report.status
        report.finish(status, subjects + to)
        if !interrupted {
            let all = scope.batches.isEmpty ? report.destinations : []
            await session.tellNews { [losses = report.losses] (desk) async throws(SubmitFailure) in
                try await desk.post(losses: losses, ofAllAt: all)
            }
        }
        if status != .done { throw status }
    }
}

extension Session {
    /// What the arguments of an audit mean: numbers are batches, all else destinations.
    ///
    /// - Parameter names: more destinations.
    func auditScope(_ subjects: [String], at names: [String] = []) async throws -> AuditScope {
        var scope = AuditScope()
        for name in names {
            let name = try await knownName(name)
            if !scope.destinations.contains(name) { scope.destinations.append(name) }
        }
        for subject in subjects {
            if let batch = BatchID(subject) {
                if !scope.batches.contains(batch) { scope.batches.append(batch) }
            } else {
                let name = try await knownName(subject)
                if !scope.destinations.contains(name) { scope.destinations.append(name) }
            }
        }
        try await journal.check(scope.batches)
        return scope
    }

    /// Makes all destinations ready that anything was ever sent to: a copy that is lost at one may be had from another.
    ///
    /// - Returns: why some cannot be used.
    func reachAll(of scope: AuditScope) async throws(SubmitFailure) -> [String: String] {
        reach(Set(try await journal.destinationNames()).union(scope.destinations))
    }

    /// Makes destinations ready, also those that are programs.
    ///
    /// - Returns: why some cannot be used.
    func reach(_ names: Set<String>) -> [String: String] {
        var unusable: [String: String] = [:]
        for name in names.subtracting(manager.destinations.map(\.name)).sorted() {
            do throws(SubmitFailure) {
                _ = try destinations([name])
            } catch {
                unusable[name] = error.advised(at: name)
            }
        }
        return unusable
    }

    /// Runs something that a signal breaks off.
    ///
    /// - Returns: whether one did.
    func interruptible(_ body: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        let work = Task { try await body() }
        let interrupts = Interrupts(advice: { "submit: interrupted." }, first: { work.cancel() })
        defer { interrupts.end() }
        do {
            try await work.value
        } catch  where interrupts.wasInterrupted {}
        return interrupts.wasInterrupted
    }
}
