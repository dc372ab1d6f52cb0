internal import Submit
internal import SubmitConcurrency
internal import SubmitEngine

/// Where copies would get, and what is there now: asks the destinations, and changes nothing there.
final class DryRunTargets: Sendable {
    /// What is known beforehand of one copy.
    struct Finding: Sendable {
        var target: Receipt?
        /// `there`, `other`, `absent` or `cannot-tell`.
        var presence: String
        var evidence: Evidence?
        /// Why it cannot be told, or what becomes of it because of what is there.
        var message: String?
    }

    private struct Sum {
        var files = 0
        var bytes: Int64 = 0
        var there = 0
        var other = 0
        var unknown = 0
        var refused = 0
        var skipped = 0
    }

    /// How often in a row a destination may not tell before it is asked no more.
    private static let patience = 3

    private let destinations: [String: Destination]
    private let request: SubmitRequest
    private let sums = Locked<[String: Sum]>([:])
    private let failures = Locked<[String: (count: Int, why: String)]>([:])

    /// What gets where by now, by the destination and the copy's id there: SHA-256.
    private let taken = Locked<[String: [UInt8]]>([:])

    init(_ destinations: [Destination], _ request: SubmitRequest) {
        self.destinations = Dictionary(destinations.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        self.request = request
    }

    /// Its rendition leaves it out.
    func skipped(at name: String) { sums.withLock { $0[name, default: Sum()].skipped += 1 } }

    func refused(at name: String) { sums.withLock { $0[name, default: Sum()].refused += 1 } }

    func find(_ item: MediaItem, at name: String) async -> Finding {
        let finding = await look(item, at: name)
        sums.withLock { sums in
            sums[name, default: Sum()].files += 1
            sums[name]?.bytes += item.size
            switch finding.presence {
            case "there": sums[name]?.there += 1
            case "other": sums[name]?.other += 1
            case "cannot-tell": sums[name]?.unknown += 1
            default: break
            }
        }
        return finding
    }

    private func look(_ item: MediaItem, at name: String) async -> Finding {
        guard let facets = destinations[name]?.submitter.facets, let facet = facets.target else {
            return Finding(presence: "cannot-tell", message: "“\(name)” does not say beforehand where copies get.")
        }
        let target: Receipt
        do throws(SubmitFailure) {
            target = try await facet.target(of: item, album: request.album)
        } catch {
            return Finding(presence: "cannot-tell", message: error.advised(at: name))
        }
        let digest = item.digests[.sha256] ?? []
        let before = taken.withLock { taken in
            let before = taken["\(name)/\(target.remoteID)"]
            taken["\(name)/\(target.remoteID)"] = before ?? digest
            return before
        }
        if let before {
            return before == digest
                ? Finding(target: target, presence: "there", message: "the same bytes get there before")
                : Finding(target: target, presence: "other", message: outcome)
        }
        guard let presence = facets.presence else {
            return Finding(
                target: target, presence: "cannot-tell", message: "“\(name)” has no way to tell what is there.")
        }
        let stops = failures.withLock { $0[name] }
        if let (count, why) = stops, count >= Self.patience {
            return Finding(target: target, presence: "cannot-tell", message: why)
        }
        let found = await presence.presence(of: item, receipt: target)
        switch found {
        case .unknown(let why):
            let why = KnownSecrets.redacted(why)
            failures.withLock { $0[name] = (($0[name]?.count ?? 0) + 1, why) }
            return Finding(target: target, presence: "cannot-tell", message: why)
        case .present(let evidence):
            failures.withLock { $0[name] = nil }
            return Finding(target: target, presence: "there", evidence: evidence)
        case .absent:
            failures.withLock { $0[name] = nil }
            return Finding(target: target, presence: "absent")
        case .changed:
            failures.withLock { $0[name] = nil }
            return Finding(target: target, presence: "other", message: outcome)
        }
    }

    /// What becomes of an item whose name other bytes have.
    private var outcome: String {
        switch request.onConflict {
        case .rename: "other bytes have the name, so that it gets another one"
        case .overwrite: "other bytes have the name, and are replaced"
        case .skip: "other bytes have the name, so that it is skipped"
        case .fail: "other bytes have the name, so that it fails"
        }
    }

    /// The sums of each destination, sorted by name.
    var lines: [String] {
        sums.withLock { $0 }.sorted { $0.key < $1.key }.map { name, sum in
            var parts = ["would send \(Printable.count(sum.files - sum.there, "file"))"]
            parts[0] += ", \(Printable.bytes(sum.bytes, isFine: true)) in all"
            if sum.there > 0 { parts.append("\(sum.there) there already") }
            if sum.other > 0 { parts.append("\(sum.other) whose names others have") }
            if sum.unknown > 0 { parts.append("\(sum.unknown) of which it cannot be told") }
            if sum.skipped > 0 { parts.append("\(sum.skipped) skipped") }
            if sum.refused > 0 { parts.append("\(sum.refused) refused") }
            return "\(name): \(parts.joined(separator: ", "))"
        }
    }

    var object: [String: Any] {
        [
            "event": "dry-run-summary",
            "destinations": sums.withLock { $0 }.sorted { $0.key < $1.key }.map { name, sum -> [String: Any] in
                [
                    "destination": name, "files": sum.files, "bytes": sum.bytes, "there": sum.there,
                    "other": sum.other, "cannot_tell": sum.unknown, "skipped": sum.skipped,
                    "refused": sum.refused,
                ]
            },
        ]
    }
}

extension DryRunTargets.Finding {
    /// As a line says it behind the item and its destination.
    var words: String {
        let place = target.map { ": \($0.url ?? $0.remoteID)" } ?? ""
        switch presence {
        case "there": return "\(place) (there already: \(evidence.map { "\($0)" } ?? message ?? "unknown"))"
        case "absent": return "\(place) (nothing is there)"
        case "other": return "\(place) (\(message ?? ""))"
        default: return "\(place) (what is there cannot be told: \(message ?? ""))"
        }
    }

    var object: [String: Any] {
        var object: [String: Any] = ["presence": presence]
        object["remote_id"] = target?.remoteID
        object["url"] = target?.url
        object["evidence"] = evidence?.rawValue
        object["remark"] = message
        return object
    }
}
