/// What was asked for in a batch and is not accepted to its end.
package struct OpenAcceptance: Sendable, Hashable {
    package let id: AcceptanceID
    package let batch: BatchID
    /// In words of the caller's own.
    package let request: String

    package init(id: AcceptanceID, batch: BatchID, request: String) {
        self.id = id
        self.batch = batch
        self.request = request
    }
}
