internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine
internal import SubmitJournal

/// What a repair makes of what is lost.
final class RepairReport: Sendable {
    private struct Count {
        var again = 0
        var impossible = 0
        var cannotTell = 0
        /// Changed copies that no repair replaces, with the first few addresses.
        var kept = 0
        var keptAt: [String] = []
        /// What is not there by now, and no repair sends.
        var failures = FailureOutlook()
        var waiting = 0
        /// The sentence on a destination that was shown last.
        var told: [String: String] = [:]

        mutating func keep(_ audited: AuditedSubmission) {
            kept += 1
            if keptAt.count < 3, let receipt = audited.record.receipt { keptAt.append(receipt.url ?? receipt.remoteID) }
        }
    }

    private let isJSON: Bool
    private let isQuiet: Bool
    private let isDryRun: Bool
    private let count = Locked(Count())

    init(isJSON: Bool, isQuiet: Bool, isDryRun: Bool) {
        self.isJSON = isJSON
        self.isQuiet = isQuiet
        self.isDryRun = isDryRun
    }

    /// Whether everything is there or is to be sent again.
    var status: ExitStatus {
        count.withLock { count in
            if count.impossible + count.failures.sum > 0 { return .failed }
            return count.cannotTell > 0 ? .waiting : .done
        }
    }

    func show(_ page: [(AuditedSubmission, RepairDecision?)]) {
        count.withLock { count in
            for (audited, decision) in page {
                switch decision {
                case .again(let rule):
                    count.again += 1
                    if case .changed = audited.finding, rule != .overwrite { count.keep(audited) }
                case .impossible: count.impossible += 1
                case nil: break
                }
                switch audited.finding {
                case .failed: count.failures.add(audited.record.code)
                case .waiting: count.waiting += 1
                default: break
                }
                if case .cannotTell(let why) = audited.finding {
                    count.cannotTell += 1
                    tell(of: audited, why, &count)
                } else if let decision {
                    show(audited, decision)
                }
            }
            Output.flush()
        }
    }

    private func tell(of audited: AuditedSubmission, _ why: String, _ count: inout Count) {
        if isJSON { return JSONOutput.print(JSONOutput.object("repair", audited)) }
        let name = audited.record.destination
        guard count.told[name] != why else { return }
        count.told[name] = why
        Output.trouble(Printable.line("cannot tell: \(audited.record.item.name) → \(name): \(why)"))
    }

    private func show(_ audited: AuditedSubmission, _ decision: RepairDecision) {
        let whose = "\(audited.record.item.name) → \(audited.record.destination)"
        let what = if case .changed = audited.finding { "changed" } else { "vanished" }
        if isJSON {
            var object = JSONOutput.object("repair", audited)
            switch decision {
            case .again(let rule):
                object["decision"] = "again"
                object["on_conflict"] = rule.rawValue
            case .impossible(let failure):
                object["decision"] = "impossible"
                object["code"] = failure.code
                object["message"] = failure.advised()
            }
            return JSONOutput.print(object)
        }
        switch decision {
        case .again:
            if !isQuiet {
                Output.line(Printable.line("\(isDryRun ? "would send again" : "waiting again"): \(whose) (\(what))"))
            }
        case .impossible(let failure): Output.trouble(Printable.line("not repaired: \(whose): \(failure.advised())"))
        }
    }

    /// The last line: what is there and is no longer a copy.
    func tellOfKept() {
        let count = count.withLock { $0 }
        if isJSON || isQuiet || count.kept == 0 { return }
        let more = count.kept - count.keptAt.count
        let places = count.keptAt.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        let copies = Printable.count(count.kept, "changed copy", "changed copies")
        let advice =
            isDryRun
            ? "would stay: \(places). `submit repair --on-conflict overwrite` replaces \(count.kept == 1 ? "it" : "them")."
            : "\(count.kept == 1 ? "was" : "were") not replaced and \(count.kept == 1 ? "is" : "are") still there: \(places). "
                + "Delete what you don't need. Another time, `submit repair --on-conflict overwrite` replaces changed copies."
        Output.line(Printable.line("\(copies) \(advice)"))
    }

    func finish() {
        if isJSON || isQuiet { return }
        let count = count.withLock { $0 }
        let failures = count.failures
        if failures.sum > failures.doubtful {
            Output.line("\(Printable.count(failures.sum - failures.doubtful, "submission")) failed.")
            failures.sentences.forEach { Output.line($0) }
        }
        if failures.doubtful > 0 {
            Output.line(
                "\(Printable.count(failures.doubtful, "submission")) may have arrived all the same: look there, and try those that are "
                    + "missing again with `submit retry --submission NUMBER` (`submit list`).")
        }
        if count.waiting > 0 {
            Output.line(
                "\(Printable.count(count.waiting, "submission")) yet to be sent: `submit resume` sends what is waiting."
            )
        }
        if count.again + count.impossible == 0 {
            let what = failures.sum + count.waiting > 0 ? "Nothing else" : "Nothing"
            Output.line(
                count.cannotTell == 0
                    ? "\(what) is lost."
                    : "\(what) is known to be lost; \(Printable.count(count.cannotTell, "submission")) cannot be told.")
        } else {
            let verb = isDryRun ? "would be sent again" : "to send again"
            let rest = count.impossible > 0 ? ", \(count.impossible) cannot be" : ""
            Output.line("\(Printable.count(count.again, "submission")) \(verb)\(rest).")
        }
    }
}
