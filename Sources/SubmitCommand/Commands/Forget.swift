internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitCatalogue
internal import SubmitEngine

/// `submit forget`
struct Forget: AsyncParsableCommand, LoggedCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Leave pictures out of the catalogue.",
        discussion: """
            Copies stay where they are, and in `submit list`. What was said of a picture is gone, and it does not come back when \
            it is sent again; --undo takes it in again as it was accepted. Destinations that keep a catalogue are told.

            Exit codes: 0 done; 1 a destination that keeps a catalogue did not take some of it; 2 what was asked \
            is wrong, and nothing was forgotten; 3 one hears of it later.
            """)

    @OptionGroup var which: PictureOptions

    @Flag(help: "Take them in again: name files, numbers of --list, or the SHA-256 of their bytes.")
    var undo = false

    @Flag(help: "Show what was forgotten.")
    var list = false

    @Flag(help: "Forget all that --where means without asking.")
    var yes = false

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if list {
            if which.isAny || undo {
                throw ValidationError("--list shows all that was forgotten: name nothing beside it.")
            }
            return
        }
        if !which.isAny { throw ValidationError("Name pictures, or say which by --where.") }
        if undo, which.pictures.isEmpty { throw ValidationError("Name the files that are to be taken in again.") }
    }

    func run() async throws {
        if list { return try await show(try Session(isReading: true).manager) }
        let session = try Session()
        if undo {
            var digests: [[UInt8]] = []
            for name in which.pictures { digests.append(try await digest(of: name, session.manager)) }
            let count = try await session.manager.recall(digests: digests)
            tell(count, "taken in again", "recalled")
        } else {
            let selection = try await which.selection(session.manager)
            if which.pictures.isEmpty, !yes { try await confirm(selection, session.manager) }
            let count = try await session.manager.forget(where: selection.filter, search: selection.search)
            tell(count, "forgotten", "forgotten")
        }
        try await Followers(session, isJSON: json).tell()
    }

    private func show(_ manager: SubmitManager) async throws {
        var before: Int64?
        var isAny = false
        while case let some = try await manager.forgotten(before: before, limit: 1000), !some.isEmpty {
            for picture in some {
                let digest = Hexadecimal.text(of: picture.digest)
                if json {
                    JSONOutput.print([
                        "id": picture.id, "item": digest, "name": picture.name, "owner": picture.owner,
                        "forgotten": JSONOutput.time(picture.gone),
                    ])
                } else {
                    Output.line(
                        "\(Printable.fit("\(picture.id)", 6))\(Printable.line(picture.name))  \(Printable.line(picture.owner))  \(digest)"
                    )
                }
            }
            (before, isAny) = (some.last?.id, true)
        }
        if !isAny, !json { Output.line("Nothing was forgotten.") }
    }

    private func digest(of name: String, _ manager: SubmitManager) async throws -> [UInt8] {
        guard let number = Int64(name), !FileManager.default.fileExists(atPath: name) else {
            return try PictureOptions.digest(of: name)
        }
        let before = number.addingReportingOverflow(1)
        let found = try await manager.forgotten(before: before.overflow ? nil : before.partialValue, limit: 1).first
        guard let found, found.id == number else {
            throw SubmitFailure.usage(
                "No picture \(number) was forgotten: `submit forget --list` shows those that were.")
        }
        return found.digest
    }

    private func confirm(_ selection: PictureSelection, _ manager: SubmitManager) async throws {
        let count: Int
        do throws(DatasourceFault) {
            count = try await manager.pictures.count(selection.filter, selection.search)
        } catch {
            throw WrittenQuestion.failure(error, in: which.condition)
        }
        if count == 0 { return }
        let pictures = Printable.count(count, "picture")
        guard Confirmation.isPossible else {
            throw SubmitFailure.usage("\(pictures) would be forgotten: give --yes if that is meant.")
        }
        guard Confirmation.ask("Forget \(pictures), and all that was said of them?") else { throw ExitStatus.usage }
    }

    private func tell(_ count: Int, _ words: String, _ member: String) {
        if json { return JSONOutput.print([member: count]) }
        Output.line("\(Printable.count(count, "picture")) \(words).")
    }
}
