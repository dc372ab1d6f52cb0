internal import Submit

/// Links to objects that end after a time.
struct ObjectLinks: LinkFacet {
    let longestLife: Duration
    let locate: @Sendable (_ remoteID: String) throws(SubmitFailure) -> (any ObjectContainer, key: String)

    func link(to receipt: Receipt, validFor life: Duration) async throws(SubmitFailure) -> String {
        let (container, key) = try locate(receipt.remoteID)
        return try await container.link(to: key, validFor: life)
    }
}
