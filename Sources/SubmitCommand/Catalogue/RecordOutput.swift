internal import Submit
internal import SubmitCatalogue

/// Prints records: for people, or in a form for programs.
struct RecordOutput {
    private let format: RecordFormat?
    private let fields: [String]?
    private let isOwn: Bool
    private let thumbnails: () -> Thumbnails?

    /// - Parameters:
    ///   - format: `nil`: for people.
    ///   - fields: which are told; `nil`: all.
    ///   - isOwn: they are pictures of our own catalogue.
    ///   - thumbnails: what shows photos beside it, asked for where there is anything to show; `nil`: nothing does.
    init(
        _ format: RecordFormat?, fields: [String]?, isOwn: Bool, thumbnails: @escaping () -> Thumbnails? = { nil }
    ) {
        (self.format, self.isOwn, self.thumbnails) = (format, isOwn, thumbnails)
        // A table of nothing has its header as well.
        self.fields = fields ?? (format == .csv && isOwn ? CataloguePicture.usualFields.map(\.rawValue) : nil)
    }

    /// - Parameter most: how many at most.
    func show(_ pages: DatasourcePages, most: Int) async throws(DatasourceFault) {
        var left = most
        var pages = pages.makeAsyncIterator()
        var printer = RecordPrinter(format ?? .jsonLines, fields: fields)
        var thumbnails: Thumbnails??
        if format != nil { Output.raw(printer.beginning()) }
        while left > 0, let page = try await pages.next() {
            for record in page.records.prefix(left) {
                if format != nil {
                    Output.raw(printer.text(of: record))
                } else {
                    if thumbnails == nil { thumbnails = self.thumbnails() }
                    await tell(record, beside: thumbnails ?? nil)
                }
            }
            if page.records.count > left || page.records.count == left && page.next != nil { tellMore() }
            left -= page.records.count
        }
        if format != nil {
            Output.raw(printer.end())
        } else if left == most {
            Output.line(Terminal.styled("No pictures match.", .quiet))
        }
        if !printer.withoutColumn.isEmpty {
            let names = printer.withoutColumn.sorted().joined(separator: ",")
            Output.trouble("submit: Some have \(names), for which there is no column: name them by --fields.")
        }
    }

    private func tell(_ record: DatasourceRecord, beside thumbnails: Thumbnails?) async {
        if let thumbnails {
            let lines = PictureLines(record).wrapped(columns: thumbnails.textColumns)
            if let text = await thumbnails.text(of: record, beside: lines) { return Output.raw(text) }
        }
        for line in lines(record) { Output.line(line) }
    }

    private func tellMore() {
        if format == nil {
            Output.line(Terminal.styled("There are more: raise --limit.", .quiet))
        } else {
            Output.trouble("submit: There are more: raise --limit.")
        }
    }

    private func lines(_ record: DatasourceRecord) -> [String] {
        if isOwn, fields == nil { return PictureLines(record).all }
        return [
            record.members.filter { $0.value != .null && $0.value != .list([]) }.map { member in
                "\(Printable.line(member.name)): \(Self.text(member.value))"
            }.joined(separator: "  ")
        ]
    }

    private static func text(_ value: RecordValue) -> String {
        if case .text(let text) = value { Printable.line(text) } else { value.json }
    }
}
