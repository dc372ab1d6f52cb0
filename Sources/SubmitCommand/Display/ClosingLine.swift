internal import Foundation
internal import Submit
internal import SubmitEngine
internal import SubmitJournal

/// The last line of a run, which one can forward: what is where, how sure that is, and what is not.
struct ClosingLine {
    let proofs: [ProofTally]
    let refused: Int
    let isComplete: Bool
    let time: Timestamp
    /// How many were there from earlier, by destination, and are not among what was sent.
    private var unchanged: [String: Int] = [:]

    init(_ report: Report) {
        for line in report.unchanged.lines { unchanged[line.destination] = line.done }
        (proofs, refused) = (report.proofs, report.refused)
        (isComplete, time) = (report.isComplete, report.time)
    }

    init(_ proofs: [ProofTally], refused: Int = 0, isComplete: Bool = true, at time: Timestamp) {
        (self.proofs, self.refused, self.isComplete, self.time) = (proofs, refused, isComplete, time)
    }

    /// One destination's share of it.
    private struct Share {
        var name: String
        /// With those that were there from earlier.
        var total: Int
        /// Of what is done by how sure it is, the surest first.
        var sure: [(words: String, count: Int)]
        var open: [String]
    }

    /// `nil` where nothing was accepted.
    var text: String? {
        let shares = Set(proofs.map(\.destination)).sorted().map(share)
        // Renditions are less than the originals.
        func sent(_ name: String) -> (count: Int, bytes: Int64) {
            proofs.lazy.filter { $0.destination == name }.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.bytes) }
        }
        guard let most = shares.max(by: { sent($0.name) < sent($1.name) }), sent(most.name).count > 0 else {
            return nil
        }
        let all = sent(most.name).count
        // Any destination that got all of them tells what they are.
        let items = proofs.filter { $0.destination == most.name }
        var parts: [String] = []
        // Destinations that stand alike are told of together.
        var alike: [(words: String, names: [String])] = []
        for share in shares {
            let words = words(share, of: all)
            if let index = alike.firstIndex(where: { $0.words == words }) {
                alike[index].names.append(share.name)
            } else {
                alike.append((words, [share.name]))
            }
        }
        for (words, names) in alike { parts.append(words.replacing("NAMES", with: Self.list(names))) }
        if refused > 0 { parts.append("\(refused) refused") }
        if !isComplete { parts.append("not all of it was accepted") }
        let isFine = refused == 0 && isComplete && shares.allSatisfy(\.open.isEmpty)
        let size = Printable.bytes(items.reduce(0) { $0 + $1.bytes }, isFine: true)
        return "\(Self.count(items)), \(size), \(parts.joined(separator: "; "))"
            + (isFine ? " on " : "; as of ") + Printable.local(time)
    }

    private func share(_ name: String) -> Share {
        let own = proofs.filter { $0.destination == name }
        func count(_ isSuch: (ProofTally) -> Bool) -> Int { own.lazy.filter(isSuch).reduce(0) { $0 + $1.count } }
        let sure = [
            ("proven at NAMES", count { $0.state == .done && $0.evidence == .verified && !$0.isRendition }),
            (
                "as renditions proven at NAMES",
                count { $0.state == .done && $0.evidence == .verified && $0.isRendition }
            ),
            ("stored at NAMES with our digest", count { $0.state == .done && $0.evidence == .echoed }),
            ("at NAMES by their size", count { $0.state == .done && $0.evidence == .size }),
            (
                "taken by NAMES without a proof",
                count { $0.state == .done && !$0.isSkipped && [.accepted, .unknown, nil].contains($0.evidence) }
            ),
        ].filter { $0.1 > 0 }
        let open = [
            (count { $0.state == .failed }, "failed"),
            (count { $0.state == .waiting || $0.state == .running }, "waiting"),
            (count { $0.state == .cancelled }, "cancelled"), (count(\.isSkipped), "skipped"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let total = own.reduce(unchanged[name] ?? 0) { $0 + $1.count }
        return Share(name: name, total: total, sure: sure, open: open)
    }

    private func words(_ share: Share, of all: Int) -> String {
        if share.open.isEmpty, share.sure.count == 1, share.total >= all { return share.sure[0].words }
        // A destination may have been meant for fewer.
        let meant = min(all, share.total)
        var parts = share.sure.map { "\($0.count) of \(meant) \($0.words)" }
        if parts.isEmpty { parts = ["none of \(meant) at NAMES"] }
        return (parts + share.open).joined(separator: ", ")
    }

    /// `412 photos and 3 videos`.
    private static func count(_ items: [ProofTally]) -> String {
        let kinds: [(MediaKind, String)] = [(.photo, "photo"), (.video, "video"), (.other, "other file")]
        let parts = kinds.compactMap { kind, noun -> String? in
            let count = items.lazy.filter { $0.kind == kind }.reduce(0) { $0 + $1.count }
            return count > 0 ? Printable.count(count, noun) : nil
        }
        return list(parts)
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return "\(words.dropLast().joined(separator: ", ")) and \(last)"
    }
}
