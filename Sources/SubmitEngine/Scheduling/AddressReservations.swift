internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// The addresses of one destination that submissions under way store at.
///
/// Two photos may want the same name. `overwrite` never lets one replace the other, neither while both are on their way nor
/// after one of them is done.
final class AddressReservations: Sendable {
    private let holders = Locked<[String: ClaimedSubmission]>([:])

    /// Reserves an address until ``release(_:)``.
    ///
    /// - Returns: false if another photo has reserved it.
    func reserve(_ address: String, for claim: ClaimedSubmission) -> Bool {
        holders.withLock { holders in
            if let holder = holders[address], holder.isOfAnotherPhoto(than: claim) { return false }
            holders[address] = claim
            return true
        }
    }

    /// Whether what is at a reserved address may be replaced. If not, the reservation ends.
    func mayReplace(
        _ address: String, by claim: ClaimedSubmission, in store: any Store
    ) async throws(SubmitFailure) -> Bool {
        guard try await store.isCopyOfAnother(address, than: claim) else { return true }
        holders.withLock { $0[address] = nil }
        return false
    }

    /// Ends the reservations of a submission: the journal knows by now what came of it.
    func release(_ claim: ClaimedSubmission) {
        holders.withLock { holders in
            if holders.isEmpty { return }
            // It may have been claimed anew by now.
            holders = holders.filter { $0.value.id != claim.id || $0.value.fence != claim.fence }
        }
    }
}

extension ClaimedSubmission {
    /// A later version of the same file is no other photo.
    fileprivate func isOfAnotherPhoto(than other: ClaimedSubmission) -> Bool {
        id != other.id && item.source != other.item.source && item.digests[.sha256] != other.item.digests[.sha256]
    }
}
