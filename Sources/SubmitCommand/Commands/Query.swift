internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitCatalogue
internal import SubmitEngine

/// `submit query`
struct Query: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Ask the catalogue what was published, and where.",
        discussion: """
            Words are read as `tag=harbour captured>2026-01 place~"Hamburg"`, `taken last week`, `destination=nas`, \
            `not has caption`, `near=53.55,9.99,5km`; what is no condition is looked for in all that is said of a picture. \
            --where takes the same, or LoopBack's JSON: '{"tags": "harbour", "captured": {"gt": "2026-01"}}'.

            Exit codes: 0 it was answered, be it with nothing; 2 it is no question.
            """)

    @Argument(help: "The question in words.")
    var words: [String] = []

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Conditions, in words or as LoopBack's JSON.", valueName: "question"))
    var condition: String?

    @Option(help: ArgumentHelp("Words that a picture has somewhere.", valueName: "words"))
    var search: String?

    @Option(
        help: ArgumentHelp(
            "By what they are ordered, such as 'captured desc, name'. Without: the newest first.", valueName: "fields"))
    var order: String?

    @Option(help: ArgumentHelp("How many are left out at the beginning.", valueName: "number"))
    var skip = 0

    @Option(help: ArgumentHelp("What is told of each, with commas between them.", valueName: "field,..."))
    var fields: String?

    @Option(help: ArgumentHelp("The values of a field in them, each once, instead of pictures.", valueName: "field"))
    var distinct: String?

    @Flag(help: "How many there are, instead of which.")
    var count = false

    @Option(
        help: ArgumentHelp("Another catalogue than the own one, of `sources` in the configuration.", valueName: "name"))
    var from: String?

    @OptionGroup var records: RecordOptions

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if skip < 0 { throw ValidationError("--skip must not be below 0.") }
        if distinct != nil, count { throw ValidationError("--distinct or --count: not both.") }
        if distinct != nil || count {
            let other = [("--skip", skip > 0), ("--order", order != nil), ("--fields", fields != nil)].first { $0.1 }
            if let other {
                throw ValidationError("\(other.0) goes with pictures, not with \(count ? "--count" : "--distinct").")
            }
            if records.form == .geoJSON { throw ValidationError("A map has pictures on it: leave geojson away.") }
        }
        if condition?.allSatisfy(\.isWhitespace) == true {
            throw ValidationError("--where says nothing, which would mean all: check for unset variables.")
        }
        if condition != nil, !words.isEmpty { throw ValidationError("Ask in words or by --where: not both.") }
    }

    func run() async throws {
        let asked = try AskedCatalogue(from)
        let source = asked.source
        let text = condition ?? words.joined(separator: " ")
        do throws(DatasourceFault) {
            let question = try question(source, text)
            if count { return tell(try await source.count(of: question)) }
            if let distinct {
                return tell(try await source.distinct(distinct, of: question, limit: most), of: distinct)
            }
            try await asked.output(records, fields: fields.map { [$0].splitAtCommas }).show(
                source.pages(question), most: most)
        } catch {
            throw WrittenQuestion.failure(error, in: text)
        }
    }

    private var most: Int { records.most(100) }

    private func question(_ source: any Datasource, _ text: String) throws(DatasourceFault) -> DatasourceQuestion {
        do throws(CatalogueFault) {
            var question = try WrittenQuestion.question(source, text)
            if let search {
                question.search = [question.search, search].compactMap(\.self).joined(separator: " ")
            }
            if let order { question.order = try WrittenQuestion.order(order) }
            if question.order.isEmpty, from == nil, !text.contains("near") {
                question.order = [DatasourceOrder(CatalogueField.id.rawValue, isDescending: true)]
            }
            question.skip = skip
            question.pageSize = min(most, Self.page)
            question.fields = fields.map { [$0].splitAtCommas }
            // A map needs it, whatever is told beside it.
            if records.form == .geoJSON, question.fields?.contains(GeoJSONFeature.placeField) == false {
                question.fields?.append(GeoJSONFeature.placeField)
            }
            try question.check()
            return question
        } catch {
            throw .question(error)
        }
    }

    /// Pictures that are read at once.
    private static let page = 200

    private func tell(_ count: Int) {
        guard let form = records.form else { return Output.line("\(count)") }
        tell([DatasourceRecord([RecordMember("count", .number("\(count)"))])], ["count"], form)
    }

    private func tell(_ distinct: DistinctValues, of field: String) {
        switch records.form {
        case .csv: tell(distinct.values.map { DatasourceRecord([RecordMember(field, $0)]) }, [field], .csv)
        case .json: Output.record(RecordValue.list(distinct.values).json)
        case .jsonLines, .geoJSON: for value in distinct.values { Output.record(value.json) }
        case nil:
            for value in distinct.values {
                if case .text(let text) = value { Output.line(Printable.line(text)) } else { Output.record(value.json) }
            }
        }
        if distinct.isCut { Output.trouble("submit: There are more values: raise --limit.") }
    }

    private func tell(_ records: [DatasourceRecord], _ fields: [String], _ form: RecordFormat) {
        var printer = RecordPrinter(form, fields: fields)
        Output.raw(printer.beginning())
        for record in records { Output.raw(printer.text(of: record)) }
        Output.raw(printer.end())
    }
}

extension WrittenQuestion {
    /// - Parameter text: plain words, or LoopBack's JSON.
    static func question(_ source: any Datasource, _ text: String) throws(CatalogueFault) -> DatasourceQuestion {
        if !isJSON(text) { return try source.question(words: text) }
        let before = #"{"where":"#
        do throws(CatalogueFault) {
            return try source.question(json: "\(before)\(text)}")
        } catch {
            var fault = error
            fault.offset = error.offset.map { max(0, $0 - before.utf8.count) }
            throw fault
        }
    }

    /// `captured desc, name`
    static func order(_ text: String) throws(CatalogueFault) -> [DatasourceOrder] {
        var order: [DatasourceOrder] = []
        for part in text.split(separator: ",") {
            let words = part.split(separator: " ").map(String.init)
            let direction = words.count == 2 ? words[1].lowercased() : "asc"
            guard words.count == 1 || words.count == 2, ["asc", "desc"].contains(direction) else {
                throw CatalogueFault(
                    "“\(part)” is no order: write a field, and “desc” behind it for the greatest first.", at: nil)
            }
            order.append(DatasourceOrder(words[0], isDescending: direction == "desc"))
        }
        return order
    }
}
