internal import Submit
internal import SubmitJournal

extension SourceRemoval {
    /// - Throws: where so many verified copies can never be, by what is known of the destinations.
    func check(_ destinations: [Destination], _ verification: Verification) throws(SubmitFailure) {
        guard copies >= 1 else {
            throw SubmitFailure(.giveUp, code: "remove-source", message: "Sources can be removed after 1 verified copy or more.")
        }
        guard copies <= destinations.count else {
            let count = destinations.count == 1 ? "1 destination" : "\(destinations.count) destinations"
            throw SubmitFailure(
                .giveUp, code: "remove-source",
                message: "Sources cannot be removed after \(copies) verified copies: there \(destinations.count == 1 ? "is" : "are") "
                    + "only \(count); lower the number or name more with --to.")
        }
        let doubts = destinations.compactMap { $0.reasonNeverToCount(verification) }
        guard destinations.count - doubts.count >= copies else {
            throw SubmitFailure(
                .giveUp, code: "remove-source",
                message: "Sources cannot be removed after \(copies) verified \(copies == 1 ? "copy" : "copies"): "
                    + doubts.joined(separator: " "))
        }
    }
}

extension Destination {
    /// Why no copy there can ever count for removing its source, by the facts; `nil` where it may.
    func reasonNeverToCount(_ verification: Verification) -> String? {
        guard submitter.facets.presence != nil else {
            return "“\(name)” has no way to tell later what is there, so that no source is removed for it."
        }
        guard let proves = submitter.capabilities.proves, proves != .verified else { return nil }
        let words = "“\(name)” proves copies by “\(proves.rawValue)” only, so that no source is removed for it"
        guard submitter.capabilities.canReadBack else { return "\(words)." }
        return verification == .readback ? nil : "\(words), unless --verify readback is given."
    }
}

extension SubmitManager {
    /// What should be known of a request's destinations before sources are to be removed for it: one sentence for each
    /// whose copies cannot count, or did not the last time.
    ///
    /// - Throws: ``SubmitError/failure(_:)`` for an unknown destination.
    public func removalWarnings(_ request: SubmitRequest) throws(SubmitError) -> [String] {
        guard request.removal != nil else { return [] }
        var warnings: [String] = []
        for name in request.destinations {
            let destination: Destination
            do throws(SubmitFailure) {
                destination = try self.destination(named: name)
            } catch {
                throw .failure(error)
            }
            if let reason = destination.reasonNeverToCount(request.verification) {
                warnings.append(reason)
                continue
            }
            guard request.verification == .usual, destination.submitter.capabilities.proves == nil else { continue }
            let last: Evidence?
            do throws(JournalFailure) {
                last = try journal.lastEvidence(at: name)
            } catch {
                throw .journal(error)
            }
            guard let last, last != .verified else { continue }
            warnings.append(
                "“\(name)” proved its last copy by “\(last.rawValue)” only, and sources are removed for “verified” alone"
                    + (destination.submitter.capabilities.canReadBack ? ": give --verify readback." : "."))
        }
        return warnings
    }
}
