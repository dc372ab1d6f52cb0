internal import Submit
internal import SubmitCatalogue
internal import SubmitConfiguration
internal import SubmitEngine

/// The catalogue that is asked: the own one, or one that the configuration names.
struct AskedCatalogue {
    let source: any Datasource
    private let own: SubmitManager?

    /// - Parameter name: `nil`: the own one.
    init(_ name: String?) throws {
        if let name {
            (source, own) = (try Session.catalog().source(name), nil)
        } else {
            let manager = try Session(isReading: true).manager
            (source, own) = (LocalCatalogue(manager.pictures, revealsPlaces: true), manager)
        }
    }

    /// How its records are written.
    ///
    /// - Parameter fields: which are told; `nil`: all.
    func output(_ records: RecordOptions, fields: [String]?) -> RecordOutput {
        // Only what is told as a whole has a photo beside it.
        let manager = records.form == nil && fields == nil ? own : nil
        return RecordOutput(
            records.form, fields: fields, isOwn: own != nil,
            thumbnails: { manager.flatMap { Thumbnails(records.thumbnails, $0) } })
    }
}
