internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// The addresses that submissions under way store at, whichever destination they go to.
///
/// Two photos may want the same name. `overwrite` never lets one replace the other, neither while both are on their way nor
/// after one of them is done. Other processes with the same journal keep to it, too.
final class AddressReservations: Sendable {
    private let holders = Locked<[String: ClaimedSubmission]>([:])
    private let store: any Store

    init(_ store: any Store) { self.store = store }

    /// Reserves an address until ``release(_:)``.
    ///
    /// - Returns: false if another photo has reserved it.
    func reserve(_ address: CopyAddress, for claim: ClaimedSubmission) -> Bool {
        let key = key(address, claim)
        return holders.withLock { holders in
            if let holder = holders[key] {
                if holder.isOfAnotherPhoto(than: claim) { return false }
            } else if !store.lockAddress(key) {
                return false
            }
            holders[key] = claim
            return true
        }
    }

    /// Whether what is at a reserved address may be replaced. If not, the reservation ends.
    func mayReplace(_ address: CopyAddress, by claim: ClaimedSubmission) async throws(SubmitFailure) -> Bool {
        guard try await store.isCopyOfAnother(address, than: claim) else { return true }
        let key = key(address, claim)
        holders.withLock { if $0.removeValue(forKey: key) != nil { store.unlockAddress(key) } }
        return false
    }

    /// Ends the reservations of a submission: the journal knows by now what came of it.
    func release(_ claim: ClaimedSubmission) {
        holders.withLock { holders in
            // It may have been claimed anew by now.
            for (key, holder) in holders where holder.id == claim.id && holder.fence == claim.fence {
                holders[key] = nil
                store.unlockAddress(key)
            }
        }
    }

    private func key(_ address: CopyAddress, _ claim: ClaimedSubmission) -> String {
        address.url ?? "\(claim.destination) \(address.remoteID)"
    }
}

extension ClaimedSubmission {
    /// A later version of the same file is no other photo.
    fileprivate func isOfAnotherPhoto(than other: ClaimedSubmission) -> Bool {
        id != other.id && item.source != other.item.source && item.digests[.sha256] != other.item.digests[.sha256]
    }
}
