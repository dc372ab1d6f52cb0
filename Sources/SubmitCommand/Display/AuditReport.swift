internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
internal import SubmitJournal

/// What an audit found, as it is found, and the sums at its end.
final class AuditReport: Sendable {
    struct Count {
        var there: [Evidence: Int] = [:]
        var changed = 0
        var vanished = 0
        var cannotTell = 0
        var skipped = 0
        var waiting = 0
        var failed = 0
        var cancelled = 0
        /// Of what has vanished or was changed, what can be sent again.
        var repairable = 0
        /// Sentences on what cannot be told that have been shown.
        var told: Set<String> = []
    }

    /// Different sentences a destination on what cannot be told there; they often name an item.
    private static let mostSentences = 10

    private let isJSON: Bool
    private let counts = Locked<[String: Count]>([:])
    private let failures = Locked(FailureOutlook())

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    /// The destinations that were asked.
    var destinations: Set<String> { counts.withLock { Set($0.keys) } }

    /// How many copies have vanished or were changed, where any have.
    var losses: [String: Int] {
        counts.withLock { counts in counts.mapValues { $0.vanished + $0.changed }.filter { $0.value > 0 } }
    }

    func show(_ page: [AuditedSubmission]) {
        counts.withLock { counts in
            for audited in page {
                counts[audited.record.destination, default: Count()].add(audited)
                if case .failed = audited.finding { failures.withLock { $0.add(audited.record.code) } }
                if isJSON {
                    JSONOutput.print(JSONOutput.object("audit", audited))
                } else if let line = line(audited, &counts[audited.record.destination, default: Count()]) {
                    Output.line(Printable.line(line))
                }
            }
            Output.flush()
        }
    }

    /// What is not there, and what cannot be told; `nil` for what need not be told one by one.
    private func line(_ audited: AuditedSubmission, _ count: inout Count) -> String? {
        let record = audited.record
        let whose = "\(record.item.name) → \(record.destination)"
        let place = record.receipt.map { $0.url ?? $0.remoteID } ?? ""
        switch audited.finding {
        case .vanished: return "vanished: \(whose): \(place)\(Self.source(audited))"
        case .changed(let difference):
            return "changed: \(whose): \(place) (\(difference.words))\(Self.source(audited))"
        case .failed: return "failed: \(whose): \(record.advised ?? "")"
        case .skipped where audited.record.receipt?.isOfSkipped == false:
            return "skipped: \(whose): it was forgotten here, and so it was at \(place)"
        case .skipped: return "skipped: \(whose): \(place) holds other bytes, which were left alone"
        case .cannotTell(let why):
            guard count.told.count < Self.mostSentences, count.told.insert(why).inserted else { return nil }
            return "cannot tell: \(whose): \(why)"
        case .there, .waiting, .cancelled: return nil
        }
    }

    /// Whether a lost copy can be sent again.
    private static func source(_ audited: AuditedSubmission) -> String {
        let copies = audited.elsewhere.map {
            "\($0.destination) has it (\($0.receipt?.url ?? $0.receipt?.remoteID ?? ""))"
        }
        let word: String
        switch audited.source {
        case .unchanged: return ""
        case .changed: word = "its source was changed"
        case .missing: word = "its source is gone"
        case .unreadable: word = "its source cannot be read"
        case .removed: word = "its source was removed" + (audited.trashed.map { " and is in the trash as \($0)" } ?? "")
        }
        return "; " + ([word] + copies).joined(separator: "; ")
    }

    var status: ExitStatus { counts.withLock { Self.status($0.values) } }

    private static func status(_ counts: some Collection<Count>) -> ExitStatus {
        if counts.contains(where: { $0.vanished + $0.changed + $0.failed > 0 }) { return .failed }
        return counts.contains { $0.waiting + $0.cannotTell + $0.skipped > 0 } ? .waiting : .done
    }

    func finish(_ status: ExitStatus, _ subjects: [String]) {
        let counts = counts.withLock { $0.sorted { $0.key < $1.key } }
        if isJSON {
            JSONOutput.print([
                "event": "audit-summary", "exit_code": status.rawValue,
                "destinations": counts.map { name, count in count.object.merging(["destination": name]) { $1 } },
            ])
            return
        }
        if counts.isEmpty { Output.line("Nothing was submitted.") }
        for (name, count) in counts {
            Output.line("\(name): \(count.text)")
            let found = count.there.values.reduce(0, +) + count.changed
            if count.vanished > 1, count.vanished > found {
                let how = found == 0 ? "Nothing of it is" : "Most of it is not"
                Output.line("\(how) at \(name): is its disk there, and its place the right one?")
            }
        }
        let all = subjects.isEmpty ? "" : " " + subjects.joined(separator: " ")
        if counts.contains(where: { $0.value.repairable > 0 }) {
            Output.line("`submit repair\(all)` sends again what has vanished or was changed and still has its source.")
        }
        if counts.contains(where: { $0.value.waiting > 0 }) { Output.line("`submit resume` sends what is waiting.") }
        failures.withLock { $0 }.sentences.forEach { Output.line($0) }
        if status == .interrupted { Output.trouble("submit: interrupted: that is not all.") }
    }
}

extension AuditReport.Count {
    mutating func add(_ audited: AuditedSubmission) {
        if audited.finding.isLost, audited.source == .unchanged { repairable += 1 }
        switch audited.finding {
        case .there(let evidence): there[evidence, default: 0] += 1
        case .changed: changed += 1
        case .vanished: vanished += 1
        case .cannotTell: cannotTell += 1
        case .skipped: skipped += 1
        case .waiting: waiting += 1
        case .failed: failed += 1
        case .cancelled: cancelled += 1
        }
    }

    var text: String {
        var parts: [String] = []
        if !there.isEmpty {
            let kinds = Evidence.allCases.compactMap { kind in there[kind].map { "\($0) \(kind)" } }
            let sum = Terminal.styled("\(there.values.reduce(0, +)) there", .good)
            parts.append("\(sum) (\(kinds.joined(separator: ", ")))")
        }
        for (count, word, style) in [
            (vanished, "vanished", Terminal.Style.bad), (changed, "changed", .bad), (failed, "failed", .bad),
            (cannotTell, "cannot tell", .waiting), (skipped, "skipped", .waiting), (waiting, "waiting", .waiting),
            (cancelled, "cancelled", .waiting),
        ] where count > 0 {
            parts.append(Terminal.styled("\(count) \(word)", style))
        }
        return parts.joined(separator: ", ")
    }

    var object: [String: Any] {
        [
            "there": Dictionary(uniqueKeysWithValues: there.map { ($0.key.rawValue, $0.value) }), "vanished": vanished,
            "changed": changed, "cannot_tell": cannotTell, "skipped": skipped, "waiting": waiting, "failed": failed,
            "cancelled": cancelled,
        ]
    }
}
