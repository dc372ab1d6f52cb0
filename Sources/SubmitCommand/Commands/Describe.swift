internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitCatalogue
internal import SubmitEngine

/// `submit describe`
struct Describe: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Say something of pictures that were published: titles, captions, tags, albums.",
        discussion: """
            Files and copies stay as they are: it is written down in the catalogue, each time as a revision more, and told to \
            destinations that keep a catalogue. Without anything to change it shows the pictures and what was changed of them.

            Exit codes: 0 it is written down; 1 a destination that keeps a catalogue did not take some of it; 2 what was asked is \
            wrong, and nothing was changed; 3 one hears of it later.
            """)

    @OptionGroup var which: PictureOptions

    @Option(help: ArgumentHelp("What it is called; '': nothing.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("The words beside it; '': none.", valueName: "text"))
    var caption: String?

    @Option(help: ArgumentHelp("How the place is called where it was taken; '': not at all.", valueName: "text"))
    var place: String?

    @Option(help: "A keyword more; may be given several times.")
    var tag: [String] = []

    @Option(help: ArgumentHelp("A keyword less; may be given several times.", valueName: "tag"))
    var untag: [String] = []

    @Option(help: ArgumentHelp("An album that it is in; may be given several times.", valueName: "name"))
    var album: [String] = []

    @Option(help: ArgumentHelp("An album that it is no longer in; may be given several times.", valueName: "name"))
    var leaveAlbum: [String] = []

    @Option(help: ArgumentHelp("Whose it is.", valueName: "name"))
    var owner: String?

    @Flag(inversion: .prefixedNo, help: "Show others where it was taken.")
    var showPlace: Bool?

    @Option(
        help: ArgumentHelp(
            "A table, as `submit query --format csv` writes it, of what is to be said of each; “-” for standard input.",
            valueName: "file"),
        completion: .file())
    var csv: String?

    @Flag(help: "Say what would be changed, and change nothing.")
    var dryRun = false

    @Flag(help: "One JSON object a line instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if csv != nil {
            if which.isAny || !change.isEmpty {
                throw ValidationError("The table says of what, and what: give nothing else.")
            }
        } else if !which.isAny {
            throw ValidationError("Name pictures, or say which by --where.")
        }
    }

    func run() async throws {
        let session = try Session(isReading: dryRun || (csv == nil && change.isEmpty))
        if let csv { return try await describe(by: csv, session) }
        let selection = try await which.selection(session.manager)
        if change.isEmpty { return try await show(selection, session) }
        do throws(CatalogueFault) {
            try change.check()
        } catch {
            throw WrittenQuestion.failure(error, in: nil)
        }
        if dryRun { return try await tell(preview: [(selection, change)], session) }
        let changed = try await session.manager.describe(change, where: selection.filter, search: selection.search)
        try await tell(changed, session)
    }

    private var change: PictureChange {
        var change = PictureChange()
        func text(_ option: String?) -> PictureChange.Text {
            option.map { $0.isEmpty ? .removed : .replaced($0) } ?? .asItIs
        }
        (change.title, change.caption, change.place) = (text(title), text(caption), text(place))
        change.tags = PictureChange.Names(added: tag, removed: untag)
        change.albums = PictureChange.Names(added: album, removed: leaveAlbum)
        (change.owner, change.isPlaceShown) = (owner, showPlace)
        return change
    }

    private func describe(by file: String, _ session: Session) async throws {
        let table = try PictureTable(file)
        var changes: [(PictureSelection, PictureChange)] = []
        var rows: [Int64: Int] = [:]
        // All of it is looked at before anything is changed.
        for row in table.rows {
            var options = PictureOptions()
            options.pictures = [row.picture]
            do {
                let selection = try await options.selection(session.manager)
                for try await picture in session.manager.pictures(selection) {
                    if let before = rows.updateValue(row.number, forKey: picture.id) {
                        throw SubmitFailure.usage("row \(before) is of the same picture: leave one of them out.")
                    }
                    if let id = row.id, id != picture.id {
                        throw SubmitFailure.usage(
                            "its item is of picture \(picture.id) and its id is \(id): leave one of the two columns out."
                        )
                    }
                    changes.append((selection, try row.change(of: picture)))
                }
            } catch let failure as SubmitFailure {
                throw SubmitFailure(
                    .giveUp, code: failure.code, message: "“\(file)”, row \(row.number): \(failure.message)")
            } catch let fault as CatalogueFault {
                throw SubmitFailure.usage("“\(file)”, row \(row.number): \(fault.description)")
            }
        }
        if dryRun { return try await tell(preview: changes, session) }
        var changed: [CataloguePicture] = []
        for (selection, change) in changes {
            changed += try await session.manager.describe(change, where: selection.filter)
        }
        try await tell(changed, session)
    }

    private func tell(preview changes: [(PictureSelection, PictureChange)], _ session: Session) async throws {
        var count = 0
        for (selection, change) in changes {
            for try await picture in session.manager.pictures(selection) {
                let after = change.applied(to: picture)
                if after == picture { continue }
                count += 1
                tell(after)
            }
        }
        if !json { Output.line("\(Printable.count(count, "picture")) would be changed.") }
    }

    private func tell(_ changed: [CataloguePicture], _ session: Session) async throws {
        for picture in changed { tell(picture) }
        if !json { Output.line("\(Printable.count(changed.count, "picture")) changed.") }
        try await Followers(session, isJSON: json).tell()
    }

    private func tell(_ picture: CataloguePicture) {
        let record = picture.record(revealsPlace: true)
        if json { return Output.record(RecordValue.object(record.members).json) }
        for line in PictureLines(record).all { Output.line(line) }
    }

    private func show(_ selection: PictureSelection, _ session: Session) async throws {
        for try await picture in session.manager.pictures(selection) {
            let revisions = try await session.manager.revisions(ofPicture: picture.id)
            if json {
                var record = picture.record(revealsPlace: true)
                record.members.append(RecordMember("revisions", .list(revisions.map(Self.record))))
                Output.record(RecordValue.object(record.members).json)
                continue
            }
            tell(picture)
            for revision in revisions {
                let time = JSONOutput.time(Timestamp(nanoseconds: revision.edited))
                let what = revision.differences.sorted { $0.key < $1.key }.map { field, difference in
                    "\(field) \(Self.words(difference.was)) → \(Self.words(difference.now))"
                }
                Output.line(
                    Printable.line(
                        "      revision \(revision.number), \(time), \(revision.editor): \(what.joined(separator: "; "))"
                    ))
            }
        }
    }

    private static func words(_ texts: [String]) -> String {
        texts.isEmpty ? "nothing" : "“\(texts.joined(separator: ", "))”"
    }

    private static func record(_ revision: PictureRevision) -> RecordValue {
        let differences = revision.differences.sorted { $0.key < $1.key }.map { field, difference in
            RecordMember(
                field,
                .object([
                    RecordMember("was", .list(difference.was.map(RecordValue.text))),
                    RecordMember("now", .list(difference.now.map(RecordValue.text))),
                ]))
        }
        return .object([
            RecordMember("number", .integer(Int64(revision.number))),
            RecordMember("edited", .text(JSONOutput.time(Timestamp(nanoseconds: revision.edited)))),
            RecordMember("editor", .text(revision.editor)), RecordMember("changes", .object(differences)),
        ])
    }
}
