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

/// By what one beginning of an acceptance is known from all others.
package struct AcceptanceKey: Sendable, Hashable {
    package let text: String

    package init() { text = String(UInt128.random(in: .min ... .max), radix: 16) }
}
