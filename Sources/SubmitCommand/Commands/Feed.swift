internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitCatalogue
internal import SubmitEngine

/// `submit feed`
struct Feed: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Show what was published, the newest first.")

    @Option(help: ArgumentHelp("Those of this person.", valueName: "name"))
    var user: String?

    @Option(help: "Those with this tag; may be given several times: with all of them.")
    var tag: [String] = []

    @Option(help: ArgumentHelp("Those in this album.", valueName: "name"))
    var album: String?

    @Option(
        help: ArgumentHelp(
            "Those taken near a place, such as 53.55,9.99,5km; the nearest first.",
            valueName: "latitude,longitude,distance"))
    var near: String?

    @Option(help: ArgumentHelp("Those before this picture only.", valueName: "number"))
    var before: Int64?

    @OptionGroup var records: RecordOptions

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if near != nil, before != nil { throw ValidationError("--near goes by distance, and knows no --before.") }
    }

    func run() async throws {
        let asked = try AskedCatalogue(nil)
        do throws(DatasourceFault) {
            let question = try question(asked.source)
            try await asked.output(records, fields: nil).show(asked.source.pages(question), most: most)
        } catch {
            throw WrittenQuestion.failure(error, in: nil)
        }
    }

    private var most: Int { records.most(20) }

    private func question(_ source: any Datasource) throws(DatasourceFault) -> DatasourceQuestion {
        do throws(CatalogueFault) {
            // A place is the one thing that is read.
            var question = try source.question(words: near.map { "near=\($0)" } ?? "")
            var filters: [CatalogueFilter] = question.filter == .everything ? [] : [question.filter]
            for (field, text) in [(CatalogueField.owner, user), (.albums, album)] + tag.map({ (.tags, $0) }) {
                guard let text else { continue }
                filters.append(.condition(try CatalogueCondition(field, .eq, .text(text))))
            }
            if let before {
                filters.append(.condition(try CatalogueCondition(.id, .lt, .integer(before))))
            }
            question.filter = filters.isEmpty ? .everything : filters.count == 1 ? filters[0] : .and(filters)
            if near == nil { question.order = [DatasourceOrder(CatalogueField.id.rawValue, isDescending: true)] }
            question.pageSize = min(most, 200)
            try question.check()
            return question
        } catch {
            throw .question(error)
        }
    }
}
