package import Submit
package import SubmitStore

/// A file at one destination.
package struct DestinationStatus: Sendable, Hashable {
    package let destination: String
    package let submission: SubmissionID
    package let state: SubmissionState
    /// `nil` unless it is done.
    package let evidence: Evidence?
    /// It is the original, and proven to be.
    package let isProvenOriginal: Bool
    /// Why it failed, or what it waits for; `nil` where nothing went wrong.
    package let sentence: String?
    package let code: String?
}

/// A file, and what is proven of it where.
package struct IncomingFileStatus: Sendable, Hashable {
    package let file: IncomingFile
    /// In the order of the terms; empty before it has arrived.
    package let destinations: [DestinationStatus]
    /// When it last changed, as a sequence number.
    package let sequence: UInt64

    /// How many destinations it goes to.
    package let wanted: Int

    /// It is done at every destination, and at one of them it is proven to be the original: its sender may have no other.
    package var isSafe: Bool {
        file.state == .arrived && destinations.count == wanted && destinations.allSatisfy { $0.state == .done }
            && destinations.contains(where: \.isProvenOriginal)
    }
}

/// What changed at once.
package struct ReceptionChanges: Sendable {
    /// Whoever has this goes on after it.
    package let sequence: UInt64
    /// In the order in which they were begun.
    package let files: [IncomingFileStatus]
    /// These are all there are, and not only what changed.
    package let isWhole: Bool
}
