public import Submit
internal import SubmitRendition
internal import SubmitStore

extension SourceRemoval {
    /// - Throws: where so many verified copies can never be, by what is known of the destinations.
    func check(
        _ destinations: [Destination], _ verification: Verification, _ rendition: RenditionPolicy?
    ) throws(SubmitFailure) {
        guard copies >= 1 else {
            throw SubmitFailure(
                .giveUp, code: "remove-source", message: "Sources can be removed after 1 verified copy or more.")
        }
        guard copies <= destinations.count else {
            let count = destinations.count == 1 ? "1 destination" : "\(destinations.count) destinations"
            throw SubmitFailure(
                .giveUp, code: "remove-source-copies",
                message:
                    "Sources cannot be removed after \(copies) verified copies: there \(destinations.count == 1 ? "is" : "are") "
                    + "only \(count); lower the number or name more.")
        }
        let doubts = destinations.compactMap { $0.doubt(verification, rendition) }
        guard destinations.count - doubts.count >= copies else {
            throw SubmitFailure(
                .giveUp, code: doubts.contains { $0.code == Self.curable } ? Self.curable : "remove-source",
                message: "Sources cannot be removed after \(copies) verified \(copies == 1 ? "copy" : "copies"): "
                    + doubts.map(\.message).joined(separator: " "))
        }
    }

    /// The code where reading copies back would let them count.
    fileprivate static let curable = "remove-source-readback"
}

extension Destination {
    /// Why no copy there can ever count for removing its source, by the facts; `nil` where it may.
    ///
    /// - Parameter asked: what its request asks for; see ``rendition(asked:)``.
    func doubt(_ verification: Verification, _ asked: RenditionPolicy?) -> SubmitFailure? {
        guard rendition(asked: asked).isOriginal else {
            return SubmitFailure(
                .giveUp, code: "remove-source",
                message:
                    "“\(name)” gets renditions (\(rendition(asked: asked))), which are no copies, so that no source is "
                    + "removed for it.")
        }
        guard submitter.facets.presence != nil else {
            return SubmitFailure(
                .giveUp, code: "remove-source",
                message: "“\(name)” has no way to tell later what is there, so that no source is removed for it.")
        }
        guard let proves = submitter.capabilities.proves, proves != .verified else { return nil }
        let words = "“\(name)” proves copies by “\(proves.rawValue)” only, so that no source is removed for it"
        guard submitter.capabilities.canReadBack else {
            return SubmitFailure(.giveUp, code: "remove-source", message: "\(words).")
        }
        return verification == .readback
            ? nil
            : SubmitFailure(
                .giveUp, code: SourceRemoval.curable, message: "\(words), unless the verification is “readback”.")
    }
}

extension SubmitManager {
    /// What should be known of a request's destinations before sources are to be removed for it: one reason for each
    /// whose copies cannot count, or did not the last time.
    ///
    /// - Throws: `unknown-destination`, to give up with; when the journal fails (`journal…`, to be tried again).
    public func removalWarnings(_ request: SubmitRequest) async throws(SubmitFailure) -> [SubmitFailure] {
        guard let removal = request.removal else { return [] }
        var warnings: [SubmitFailure] = []
        if removal.manner == .trash, let path = request.paths.first(where: TrashCan.isBesideSources) {
            warnings.append(
                SubmitFailure(
                    .giveUp, code: "trash-on-source",
                    message: "The trash for “\(path)” is on the same disk, which is none of your home folder: "
                        + "nothing is freed there until it is emptied; the manner “delete” frees it."))
        }
        for name in request.destinations {
            let destination = try destination(named: name)
            if let reason = destination.doubt(request.verification, request.rendition) {
                warnings.append(reason)
                continue
            }
            guard request.verification == .usual, destination.submitter.capabilities.proves == nil else { continue }
            guard let last = try await store.lastEvidence(at: name), last != .verified else { continue }
            warnings.append(
                SubmitFailure(
                    .giveUp,
                    code: destination.submitter.capabilities.canReadBack ? SourceRemoval.curable : "remove-source",
                    message:
                        "“\(name)” proved its last copy by “\(last.rawValue)” only, and sources are removed for “verified” alone."
                ))
        }
        return warnings
    }
}
