internal import Submit

/// Which folder is the destination's own.
struct LocalHome: HomeFacet {
    let place: LocalPlace

    func moved() async throws(SubmitFailure) -> String { try await place.move() }
}
