internal import Submit
internal import SubmitEngine

/// Asks on which disk a new destination is to store its copies, if its path looks like that of a disk that is not mounted.
struct NewDisk {
    let destination: Destination
    /// The system disk was confirmed beforehand.
    let isMeant: Bool

    enum Decision {
        /// There is no doubt, or photos are to wait until the disk is mounted.
        case usual
        /// The folder on the system disk is to be used.
        case confirmed
        /// Another folder is to be named.
        case other
    }

    /// - Throws: usage, if nobody can be asked; ``SubmitFailure/cancelled`` at the end of the input.
    func decision() async throws(SubmitFailure) -> Decision {
        guard let doubt = await destination.submitter.facets.home?.doubt() else { return .usual }
        if isMeant { return .confirmed }
        guard Confirmation.isPossible else {
            throw .usage("“\(destination.name)” was not added. \(doubt.message) `--yes` confirms it.")
        }
        let choices = ["wait until it is mounted, and store nothing before", "use the system disk", "neither"]
        switch try Interview.choice("\(doubt.message) What is to be done?", choices, usual: 0) {
        case 0: return .usual
        case 1: return .confirmed
        default: return .other
        }
    }
}
