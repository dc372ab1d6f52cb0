internal import ArgumentParser
internal import Submit
internal import SubmitCatalogue
internal import SubmitConcurrency
internal import SubmitConfiguration
internal import SubmitEngine
internal import SubmitPictures
internal import SubmitPrograms

/// Whether photos are shown beside what is told of them.
enum ThumbnailChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, kitty, iterm, sixel, none
}

/// Shows photos of the own catalogue on a terminal, a few rows each, with lines of text beside them.
struct Thumbnails {
    private let graphics: TerminalGraphics
    private let place: PicturePlace
    private let manager: SubmitManager
    private let cache: ThumbnailCache

    private static let columns = 12
    private static let rows = 5
    /// As most terminals have them that do not say.
    private static let usualCell = (width: 10, height: 20)

    /// - Parameter choice: `auto`: as the terminal can.
    /// - Returns: `nil` where none are to be shown, or none can be.
    init?(_ choice: ThumbnailChoice, _ manager: SubmitManager, places: AppPaths = AppPaths()) {
        guard choice != .none else { return nil }
        let program = MediaProgram()
        let wanted = TerminalGraphics(rawValue: choice.rawValue)
        guard wanted != nil || Terminal.isThere, program.unavailable == nil else { return nil }
        // Who says how they are shown need not wait for a terminal that says nothing.
        let traits = wanted == nil ? TerminalTraits.ask() : nil
        let cell = traits?.cell ?? Terminal.cell ?? Self.usualCell
        guard let graphics = wanted ?? traits?.graphics,
            let place = PicturePlace(columns: Self.columns, rows: Self.rows, cell: cell)
        else { return nil }
        (self.graphics, self.place, self.manager) = (graphics, place, manager)
        cache = ThumbnailCache(folder: places.thumbnails, renderer: program)
    }

    /// Columns that are left for text.
    var textColumns: Int { max(20, Terminal.columns - Self.columns - 1) }

    /// - Parameter lines: of at most ``textColumns``, without the ends of lines.
    /// - Returns: all of it, with an empty line behind it; `nil` where there is no photo to be shown.
    func text(of picture: DatasourceRecord, beside lines: [String]) async -> String? {
        guard let thumbnail = await thumbnail(of: picture), let shown = graphics.text(showing: thumbnail, in: place)
        else { return nil }
        // Room is made first: where the terminal scrolls while it shows a picture, nobody knows where the cursor was.
        var text = String(repeating: "\n", count: Self.rows) + "\u{1b}[\(Self.rows)A"
        text += "\u{1b}7" + shown + "\u{1b}8"
        for line in lines { text += "\u{1b}[\(Self.columns + 1)C\(line)\n" }
        return text + String(repeating: "\n", count: max(0, Self.rows - lines.count) + 1)
    }

    private func thumbnail(of picture: DatasourceRecord) async -> [UInt8]? {
        guard case .text(let digest)? = picture[CatalogueField.item.rawValue],
            case .number(let number)? = picture[CatalogueField.id.rawValue], let number = Int64(number)
        else { return nil }
        if let kept = cache.kept(of: digest, in: place.box, as: graphics.form) { return kept }
        guard let photo = try? await manager.photo(ofPicture: number), let file = photo.file.fileDescriptor else {
            return nil
        }
        return await BlockingThreads.prompts.run {
            try? cache.thumbnail(
                of: digest, in: place.box, as: graphics.form, mime: photo.mime, from: file,
                orientation: photo.orientation)
        }
    }
}
