internal import Submit
internal import SystemPackage

/// Which folder is the destination's own.
struct LocalHome: HomeFacet {
    let place: LocalPlace

    var folder: FilePath? { FilePath(place.root) }

    func doubt() async -> SubmitFailure? { await place.doubt() }

    func moved() async throws(SubmitFailure) -> String { try await place.move() }
}
