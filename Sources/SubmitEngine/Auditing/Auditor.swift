internal import Submit
internal import SubmitStore
internal import SystemPackage

/// Audits one destination, page by page.
struct Auditor: Sendable {
    let looker: CopyLooker
    /// Those of all destinations, by name.
    let lookers: [String: CopyLooker]
    let store: any Store
    let isDeep: Bool

    private static let pageSize = 256
    /// Places that are named where a lost copy can be had.
    private static let mostElsewhere = 3

    func run(
        _ batches: [BatchID], _ show: ([AuditedSubmission]) async throws(SubmitFailure) -> Void
    ) async throws(SubmitFailure) {
        var isFirst = true
        for batch in batches.isEmpty ? [nil] : batches.map(Optional.some) {
            var last: SubmissionID = 0
            while !Task.isCancelled,
                case let page = try await store.latest(
                    at: looker.name, in: batch, of: batches, after: last, limit: Self.pageSize),
                let end = page.last
            {
                last = end.id
                // The first one alone: what is wrong with the destination is found out once.
                var findings = isFirst ? [await audit(page[0])] : []
                findings += await audit(page.dropFirst(findings.count))
                isFirst = false
                if Task.isCancelled { return }
                try await show(try await withPlaces(findings))
            }
        }
    }

    private func audit(_ page: ArraySlice<SubmissionRecord>) async -> [AuditedSubmission] {
        await withTaskGroup(of: AuditedSubmission.self) { group in
            var rest = page
            for _ in 0..<looker.width {
                guard let record = rest.popFirst() else { break }
                group.addTask { await audit(record) }
            }
            var findings: [AuditedSubmission] = []
            for await finding in group {
                findings.append(finding)
                if let record = rest.popFirst() { group.addTask { await audit(record) } }
            }
            return findings.sorted { $0.record.id < $1.record.id }
        }
    }

    private func audit(_ record: SubmissionRecord) async -> AuditedSubmission {
        let finding = await finding(record)
        var source = await SourceState.of(record, isDeep: isDeep)
        var trashed: FilePath?
        if source == .missing, let place = (try? await store.removedSource(of: record.itemID)) ?? nil {
            source = .removed
            trashed = finding.isLost && FileStatus.exists(place) ? place : nil
        }
        return AuditedSubmission(record: record, finding: finding, source: source, trashed: trashed)
    }

    private func finding(_ record: SubmissionRecord) async -> AuditFinding {
        switch record.state {
        case .waiting, .running: return .waiting
        case .failed: return .failed
        case .cancelled: return .cancelled
        case .done: break
        }
        guard let receipt = record.receipt else { return .cannotTell("No receipt of “\(record.item.name)” is left.") }
        if receipt.isOfSkipped { return .skipped }
        if looker.keepsCatalogue, let digest = record.item.digests[.sha256],
            (try? await store.isForgotten(digest)) == true
        {
            return .skipped
        }
        switch await looker.look(record.content, receipt, readingBack: isDeep) {
        case .present(let evidence): return .there(evidence)
        case .changed(let difference): return .changed(difference)
        case .absent: return .vanished
        case .unknown(let why): return .cannotTell(why)
        }
    }

    /// Looks where else the copies are that are lost and cannot be sent again.
    private func withPlaces(_ findings: [AuditedSubmission]) async throws(SubmitFailure) -> [AuditedSubmission] {
        var findings = findings
        for index in findings.indices where findings[index].finding.isLost && findings[index].source != .unchanged {
            for copy in try await store.copies(of: findings[index].record) where !copy.isRendition {
                if findings[index].elsewhere.count >= Self.mostElsewhere || Task.isCancelled { break }
                guard let receipt = copy.receipt, let looker = lookers[copy.destination] else { continue }
                let found = await looker.look(
                    copy.item, receipt, readingBack: isDeep || copy.verification == .readback)
                if found == .present(.verified) { findings[index].elsewhere.append(copy) }
            }
        }
        return findings
    }
}
