internal import Submit
internal import SubmitCatalogue
internal import SubmitConfiguration
internal import SubmitEngine

/// The catalogues that can be asked: the own one, and those that the configuration names.
struct CatalogueSources {
    /// - Parameter name: `nil`: the own one.
    func source(_ name: String?) throws -> any Datasource {
        guard let name else {
            return LocalCatalogue(try Session(isReading: true).manager.pictures, revealsPlaces: true)
        }
        return try Session.catalog().source(name)
    }
}
