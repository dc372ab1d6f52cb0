internal import Submit
internal import SubmitStore

/// As many copies of a source as its removal wants, at as many places, each verified at the moment it was looked at.
struct VerifiedCopies: Sendable {
    /// Why there are too few.
    struct Lack: Error {
        let why: String
        /// A later look may find enough.
        let mayPass: Bool
        /// Had its bytes been read back, a copy would count.
        var isCurable = false
    }

    /// Submissions of the same path that are looked through, the newest first.
    private static let mostOthers = 100

    /// With what a look without reading back says of it.
    private struct Copy: Sendable {
        let destination: String
        let receipt: Receipt
        let plain: Presence
    }

    /// Which copies count.
    enum Kind: Sendable {
        case anywhere
        /// At these destinations, and on another disk than the source.
        case onOtherDisks([String])

        /// `nil`: all.
        var destinations: [String]? { if case .onOtherDisks(let names) = self { names } else { nil } }
    }

    private let copies: [Copy]
    private let lookers: [String: CopyLooker]

    static func found(
        _ kind: Kind, of source: RemovableSource, in store: any Store, by lookers: [String: CopyLooker]
    ) async throws(SubmitFailure) -> Result<VerifiedCopies, Lack> {
        var copies: [String: Copy] = [:]
        var reasons: [String] = []
        var mayPass = false
        var sharing = false
        var isCurable = false
        for record in try await records(of: source, in: store) where record.state == .done {
            guard let receipt = record.receipt else { continue }
            let destination = record.destination
            if receipt.isOfSkipped {
                reasons.append("\(destination) skipped it")
                continue
            }
            if record.isRendition {
                reasons.append("what \(destination) has is a rendition and no copy of it")
                continue
            }
            guard let looker = lookers[destination] else { continue }
            let plain = await looker.look(source.item, receipt)
            var found = plain
            // A receipt that says more than the destination does was read back.
            if case .present(let evidence) = plain, evidence != .verified,
                record.verification == .readback || receipt.evidence == .verified
            {
                found = await looker.look(source.item, receipt, readingBack: true)
            }
            switch found {
            case .present(.verified):
                // Two names for one place hold one copy.
                let copyPlace = CopyPlace(of: receipt, at: destination)
                if kind.destinations != nil, copyPlace.isBeside(source.item.source, source.identity) {
                    reasons.append("its copy at \(destination) is on the very disk that it is on")
                    continue
                }
                let place = copyPlace.name
                sharing = sharing || copies[place] != nil
                copies[place] = Copy(destination: destination, receipt: receipt, plain: plain)
            case .present(let evidence):
                isCurable = isCurable || looker.canReadBack && record.verification == .usual
                let cure = looker.canReadBack && record.verification == .usual ? "; submit it to be read back" : ""
                reasons.append("\(destination) proves its copy by “\(evidence.rawValue)” only\(cure)")
            case .changed(let difference):
                mayPass = true
                reasons.append("its copy at \(destination) was changed (\(difference.words))")
            case .absent:
                mayPass = true
                reasons.append("its copy at \(destination) has vanished")
            case .unknown(let why):
                mayPass = true
                reasons.append("\(destination) cannot tell (\(why.hasSuffix(".") ? String(why.dropLast()) : why))")
            }
            if copies.count >= source.removal.copies {
                return .success(VerifiedCopies(copies: Array(copies.values), lookers: lookers))
            }
        }
        if sharing { reasons.append("two of the destinations are one place") }
        let count =
            "\(copies.count) of \(source.removal.copies) verified copies \(copies.count == 1 ? "is" : "are") there"
        return .failure(Lack(why: ([count] + reasons).joined(separator: "; "), mayPass: mayPass, isCurable: isCurable))
    }

    /// The submissions of the item, and of others that were the same bytes at the same path.
    private static func records(
        of source: RemovableSource, in store: any Store
    ) async throws(SubmitFailure) -> [SubmissionRecord] {
        let others = try await store.submissions(ofSource: source.item.source, limit: mostOthers).filter {
            $0.itemID != source.itemID && $0.item.digests[.sha256] == source.item.digests[.sha256]
        }
        return try await store.submissions(of: source.itemID) + others
    }

    /// Looks again while the source is away: a copy that is not as it was may be the source itself.
    func lack(without source: RemovableSource) async -> Lack? {
        for copy in copies {
            let looker = lookers[copy.destination]
            var found = await looker?.look(source.item, copy.receipt)
            if found == copy.plain {
                if found == .present(.verified) { continue }
                // What a server lists may be of a while ago, when the source was there: its bytes have to be there now.
                found = await looker?.look(source.item, copy.receipt, readingBack: true)
                if found == .present(.verified) { continue }
            }
            switch found {
            case .absent?, .changed?:
                let why = "what \(copy.destination) has is the source itself and no copy, as a look without it showed"
                return Lack(why: why, mayPass: false)
            default:
                return Lack(why: "\(copy.destination) could not be looked at a second time", mayPass: true)
            }
        }
        return nil
    }
}
