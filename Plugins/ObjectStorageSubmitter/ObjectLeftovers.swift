internal import Submit

/// What broken uploads left below the destination's prefix.
struct ObjectLeftovers: LeftoverFacet {
    let container: any ObjectContainer
    let prefix: String

    func list(sparing checkpoints: [Checkpoint]) async throws(SubmitFailure) -> [Leftover] {
        try await container.leftovers(below: prefix.isEmpty ? "" : prefix + "/", sparing: checkpoints)
    }

    func remove(_ leftover: Leftover) async throws(SubmitFailure) {
        try await container.remove(leftover)
    }
}
