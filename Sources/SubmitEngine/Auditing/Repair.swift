public import Submit
internal import SubmitConcurrency
public import SubmitStore

/// What a repair makes of a lost copy.
public enum RepairDecision: Sendable, Hashable {
    /// It waits again, under this rule for names.
    case again(ConflictPolicy)
    /// It stays lost, and why: one sentence.
    case impossible(SubmitFailure)
}

extension SubmitManager {
    /// Owes again what an audit finds vanished or changed, and nothing that could not be told.
    ///
    /// It is in the journal when `show` hears of it; whoever runs its batch sends it. Nothing is replaced that was not
    /// asked for now: a copy that vanished goes out under its own rule for names, but `rename` for `overwrite`; one that
    /// changed only where that is `rename`, since the others would replace or accept what is there. What changed is not
    /// taken for the item by what it says of itself, and what a deep audit found is proven by reading it back.
    ///
    /// - Parameters:
    ///   - scope: what it speaks of.
    ///   - onConflict: the rule from now on, of those that changed too; `nil`: as is said above. `overwrite` replaces a
    ///     changed copy at the address in its receipt; for a copy that vanished, it means `rename`.
    ///   - isDeep: as that of ``audit(_:isDeep:unusable:_:)``.
    ///   - isDryRun: nothing is written down.
    ///   - unusable: as that of ``audit(_:isDeep:unusable:_:)``.
    ///   - show: as that of ``audit(_:isDeep:unusable:_:)``, with a decision for each lost copy.
    /// - Returns: the batches that have something waiting by this.
    /// - Throws: when the journal fails (`journal…`, to be tried again). Cancelling the task ends it early, without
    ///   an error; what was shown goes on waiting.
    public func repair(
        _ scope: AuditScope, onConflict: ConflictPolicy? = nil, isDeep: Bool = false, isDryRun: Bool = false,
        unusable: [String: String] = [:],
        _ show: @escaping @Sendable ([(AuditedSubmission, RepairDecision?)]) async -> Void
    ) async throws(SubmitFailure) -> Set<BatchID> {
        let batches = Locked<Set<BatchID>>([])
        let reading = Set(known.withLock { $0.filter { $0.value.submitter.capabilities.canReadBack }.keys })
        try await audit(scope, isDeep: isDeep, unusable: unusable) { [store] (page) async throws(SubmitFailure) in
            var decided = page.map { ($0, $0.finding.isLost ? $0.decision(onConflict) : nil) }
            let lost = decided.compactMap { audited, decision -> LostCopy? in
                guard case .again(let rule)? = decision else { return nil }
                return audited.lostCopy(rule, isDeep: isDeep && reading.contains(audited.record.destination))
            }
            if !lost.isEmpty, !isDryRun {
                let waiting = Set(try await store.sendAgain(lost))
                // What is no longer done is someone else's by now.
                decided = decided.map { audited, decision in
                    if case .again? = decision, !waiting.contains(audited.record.id) { return (audited, nil) }
                    return (audited, decision)
                }
                batches.withLock { batches in
                    for (audited, decision) in decided where decision != nil {
                        if waiting.contains(audited.record.id) { batches.insert(audited.record.batch) }
                    }
                }
            }
            await show(decided)
        }
        return batches.withLock { $0 }
    }
}

extension AuditedSubmission {
    fileprivate func decision(_ asked: ConflictPolicy?) -> RepairDecision {
        let (name, place) = (record.item.name, record.destination)
        guard source == .unchanged else {
            let why =
                switch source {
                case .changed: "“\(record.item.source)” has other content than was accepted"
                case .removed: "its source was removed when enough copies were proven"
                case .unreadable: "“\(record.item.source)” cannot be read"
                case .missing, .unchanged: "“\(record.item.source)” is no longer there"
                }
            let copies = elsewhere.map { "\($0.destination) (\($0.receipt?.url ?? $0.receipt?.remoteID ?? ""))" }
            let cure =
                copies.isEmpty
                ? "no other destination has a verified copy of it now"
                : "a verified copy is at \(copies.joined(separator: " and at "))"
            let trash =
                trashed.map { "; it is in the trash as “\($0)”: put it back at “\(record.item.source)” and repair" }
                ?? ""
            return .impossible(
                SubmitFailure(
                    .giveUp, code: "source-\(source.rawValue)",
                    message: "“\(name)” cannot be sent to \(place) again: \(why); \(cure)\(trash)."))
        }
        if case .changed = finding, asked == nil, record.onConflict != .rename {
            return .impossible(
                SubmitFailure(
                    .giveUp, code: "changed",
                    message:
                        "“\(name)” was changed at \(place) and was not sent again: the conflict policy “rename” puts a copy beside "
                        + "what is there, “overwrite” replaces it."))
        }
        let rule = asked ?? record.onConflict
        // Only the copy that was changed is replaced. Where a copy vanished, whatever has a name belongs to others.
        if case .vanished = finding, rule == .overwrite { return .again(.rename) }
        return .again(rule)
    }

    /// - Parameter isDeep: the copies there were read back, and so is what is sent in place of this one.
    fileprivate func lostCopy(_ rule: ConflictPolicy, isDeep: Bool) -> LostCopy {
        let verification: Verification? = isDeep ? .readback : nil
        let place = record.receipt.map { $0.url ?? $0.remoteID } ?? record.destination
        if case .changed(let difference) = finding {
            return LostCopy(
                submission: record.id, outcome: "changed",
                finding: SubmitFailure(
                    .giveUp, code: "copy-changed",
                    message: "The copy “\(place)” was there and is something else now (\(difference.words))."),
                onConflict: rule, verification: verification, disproved: record.receipt?.remoteID)
        }
        return LostCopy(
            submission: record.id, outcome: "vanished",
            finding: SubmitFailure(
                .giveUp, code: "copy-vanished", message: "The copy “\(place)” was there and is there no longer."),
            onConflict: rule, verification: verification)
    }
}

extension Difference {
    /// By what it shows, for sentences.
    public var words: String {
        switch self {
        case .size: "another size"
        case .digest: "other bytes"
        case .kind: "another thing"
        }
    }
}
