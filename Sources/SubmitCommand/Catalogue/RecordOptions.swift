public import ArgumentParser
public import SubmitCatalogue

/// How many records are told, and how they are written.
struct RecordOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many at the most; 0: all. Without: a screenful or a few for people, and all for programs.",
            valueName: "number"))
    var limit: Int?

    @Option(help: ArgumentHelp("How it is written: jsonl, json, csv or geojson.", valueName: "form"))
    var format: RecordFormat?

    @Flag(help: "One JSON object a line: the same as --format jsonl.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Photos beside it, where submit-media is there: auto, as the terminal can; kitty, iterm, sixel; none.",
            valueName: "protocol"))
    var thumbnails = ThumbnailChoice.auto

    func validate() throws {
        if limit ?? 0 < 0 { throw ValidationError("--limit must not be below 0.") }
        if json, let format, format != .jsonLines { throw ValidationError("--json or --format: not both.") }
    }

    /// `nil`: for people.
    var form: RecordFormat? { json ? .jsonLines : format }

    /// - Parameter usual: for people, where nobody says.
    func most(_ usual: Int) -> Int {
        let wanted = limit ?? (form == nil ? usual : 0)
        return wanted == 0 ? .max : wanted
    }
}

extension RecordFormat: ExpressibleByArgument {}
