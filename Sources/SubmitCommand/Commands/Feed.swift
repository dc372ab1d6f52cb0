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

    @Option(
        help: ArgumentHelp(
            "How many at the most; 0: all. Without: 20 for people, and all for programs.", valueName: "number"))
    var limit: Int?

    @Option(help: ArgumentHelp("Those before this picture only.", valueName: "number"))
    var before: Int64?

    @Option(help: ArgumentHelp("How it is written: jsonl, json, csv or geojson.", valueName: "form"))
    var format: RecordFormat?

    @Flag(help: "One JSON object a line: the same as --format jsonl.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if limit ?? 0 < 0 { throw ValidationError("--limit must not be below 0.") }
        if json, let format, format != .jsonLines { throw ValidationError("--json or --format: not both.") }
        if near != nil, before != nil { throw ValidationError("--near goes by distance, and knows no --before.") }
    }

    func run() async throws {
        let source = try CatalogueSources().source(nil)
        do throws(DatasourceFault) {
            let question = try question(source)
            try await RecordOutput(json ? .jsonLines : format, fields: nil, isOwn: true).show(
                source.pages(question), most: most)
        } catch {
            throw WrittenQuestion.failure(error, in: nil)
        }
    }

    private var most: Int {
        let wanted = limit ?? (json || format != nil ? 0 : 20)
        return wanted == 0 ? .max : wanted
    }

    private func question(_ source: any Datasource) throws(DatasourceFault) -> DatasourceQuestion {
        do throws(CatalogueFault) {
            // A place is the one thing that is read.
            var question = try source.question(words: near.map { "near=\($0)" } ?? "")
            var filters: [DatasourceFilter] = question.filter == .everything ? [] : [question.filter]
            for (field, text) in [(CatalogueField.owner, user), (.albums, album)] + tag.map({ (.tags, $0) }) {
                guard let text else { continue }
                filters.append(.condition(try DatasourceCondition(field.rawValue, .eq, .text(text))))
            }
            if let before {
                filters.append(
                    .condition(try DatasourceCondition(CatalogueField.id.rawValue, .lt, .integer(before))))
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
