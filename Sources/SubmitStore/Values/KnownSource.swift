package import Submit
package import SystemPackage

/// A file, to be looked for among the sources of what was accepted.
package struct SourceQuery: Sendable {
    package enum Likeness: Sendable {
        /// It has these marks, all of them.
        case marks(SourceIdentity)
        /// It has bytes of this SHA-256.
        case bytes([UInt8])
    }

    package var path: FilePath
    package var likeness: Likeness

    package init(path: FilePath, likeness: Likeness) {
        self.path = path
        self.likeness = likeness
    }
}

/// What was accepted from the path of a file before.
package struct KnownSource: Sendable, Hashable {
    /// Something was, be it like the file or not.
    package var isKnownPath: Bool
    /// The submissions of items that are like it, newest first; without those whose copy other bytes of the same path have
    /// replaced since.
    package var submissions: [Submission]

    package init(isKnownPath: Bool, submissions: [Submission]) {
        self.isKnownPath = isKnownPath
        self.submissions = submissions
    }

    package struct Submission: Sendable, Hashable {
        package var id: SubmissionID
        package var batch: BatchID
        package var item: ItemID
        package var destination: String
        package var album: String?
        package var state: SubmissionState
        /// `nil` unless it is done.
        package var evidence: Evidence?
        /// See ``Receipt/isOfSkipped``.
        package var isSkipped: Bool
        /// See ``Settlement/done(_:place:facts:)``.
        package var place: Int64?
        /// What was to be made of it, in canonical text; `nil`: what is usual, and of what is done the original.
        package var recipe: String?
        package var caption: String?
        package var tags: [String]

        package init(
            id: SubmissionID, batch: BatchID, item: ItemID, destination: String, album: String?,
            state: SubmissionState, evidence: Evidence?, isSkipped: Bool, place: Int64?,
            recipe: String? = nil, caption: String?, tags: [String]
        ) {
            self.id = id
            self.batch = batch
            self.item = item
            self.destination = destination
            self.album = album
            self.state = state
            self.evidence = evidence
            self.isSkipped = isSkipped
            self.place = place
            self.recipe = recipe
            self.caption = caption
            self.tags = tags
        }
    }

    /// The submission that makes another one needless: done and proven as is wanted, in the place where the destination puts
    /// things now, or waiting. What was sent with other words, into another album or as another rendition is another wish.
    package func submission(insteadOf new: NewSubmission, caption: String?, tags: [String]) -> Submission? {
        let last = submissions.first {
            $0.destination == new.destination && $0.album == new.album && $0.caption == caption && $0.tags == tags
                && $0.fulfils(new)
        }
        guard let last else { return nil }
        switch last.state {
        case .waiting, .running: return last
        case .done:
            let isProven = new.verification == .usual || last.evidence == .verified
            return !last.isSkipped && isProven && new.place != nil && last.place == new.place ? last : nil
        case .failed, .cancelled: return nil
        }
    }
}

extension KnownSource.Submission {
    /// Whether it is of the rendition that is wanted now.
    fileprivate func fulfils(_ new: NewSubmission) -> Bool {
        let wantsOriginal = new.recipe.isOriginal
        switch recipe {
        // What waits becomes what is usual when it is sent; what was sent was sent as it was.
        case nil: return new.isRecipeUsual || new.recipe == nil || state == .done && wantsOriginal
        case let recipe? where recipe.isOriginal: return wantsOriginal || state == .done && new.isRecipeUsual
        // Another recipe of the destination is no reason to publish what is there once more; one that is asked for is.
        case let recipe?: return recipe == new.recipe || state == .done && new.isRecipeUsual && !wantsOriginal
        }
    }
}

extension String? {
    /// No recipe, or the one of the original.
    package var isOriginal: Bool { self.map(\.isOriginal) ?? true }
}

extension String {
    fileprivate var isOriginal: Bool { self == "original" }
}
