internal import Logging
public import Submit
package import SubmitStore

extension SubmitManager {
    /// What broken uploads left at a destination, oldest first, but for those that owed submissions go on from.
    ///
    /// One that failed finds nothing there when it is tried again after its remains were removed, and begins anew.
    /// What cancelled submissions left is removed first, where that could not be done at once. Of what the destination
    /// does not date, this says when it was seen first, in this journal: it is younger than it may be, and never older.
    ///
    /// - Throws: to give up with: `unknown-destination`, and `no-leftovers` where it cannot tell; why it cannot be reached;
    ///   when the journal fails (`journal…`, to be tried again).
    public func leftovers(at name: String) async throws(SubmitFailure) -> [Leftover] {
        try await discardCancelled(at: [name])
        let spared = try await store.checkpoints(destination: name, of: nil)
            .filter { $0.state == .waiting || $0.state == .running }.map(\.checkpoint)
        let found = try await withLogger(logger.doing("cleanup", at: name)) { _ async throws(SubmitFailure) in
            try await leftoverFacet(of: name).list(sparing: spared)
        }
        return await FirstSeenTimes(StoredNotes(destination: name, in: { [store] in store })).dating(found)
    }

    /// Removes something that ``leftovers(at:)`` has told of, and looks that it is gone.
    ///
    /// - Throws: as ``leftovers(at:)``; why it cannot be removed.
    public func remove(_ leftover: Leftover, at name: String) async throws(SubmitFailure) {
        try await withLogger(logger.doing("cleanup", at: name)) { _ async throws(SubmitFailure) in
            try await leftoverFacet(of: name).remove(leftover)
        }
    }

    private func leftoverFacet(of name: String) throws(SubmitFailure) -> any LeftoverFacet {
        if let facet = try destination(named: name).submitter.facets.leftovers { return facet }
        throw SubmitFailure(
            .giveUp, code: "no-leftovers",
            message: "“\(name)” does not tell of broken uploads: what submit leaves there it removes by itself.")
    }

    /// Removes what cancelled submissions left at these destinations, where that could not be done at once.
    ///
    /// Cancelling the task ends it between two of them.
    ///
    /// - Returns: how many submissions left something that is gone now. Destinations that are not this manager's, or cannot be
    ///   reached, keep it.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    @discardableResult
    public func discardCancelled(at names: [String]) async throws(SubmitFailure) -> Int {
        var count = 0
        for name in names { count += try await remains.remove(at: name) }
        return count
    }

    /// Removes what those of these submissions left that are over, at one of this manager's destinations.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    package func discard(_ submissions: [SubmissionID], at name: String) async throws(SubmitFailure) {
        for id in submissions where !Task.isCancelled { try await remains.remove(of: id, at: name) }
    }
}
