package import Submit

/// Hearing that others have written.
package protocol ChangeFeed: Sendable {
    /// A mark that is another one whenever somebody else may have written since.
    func mark() async throws(SubmitFailure) -> StoreMark
}

/// What tells one moment of a store from another.
package struct StoreMark: Sendable, Hashable {
    private let value: Int64

    package init(_ value: Int64) { self.value = value }
}
