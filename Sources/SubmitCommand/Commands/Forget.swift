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

            Exit codes: 0 done; 1 a destination that keeps a catalogue did not take some of it; 2 nothing was forgotten; 3 one \
            hears of it later.
            """)

    @OptionGroup var which: PictureOptions

    @Flag(help: "Take them in again: name files, or the SHA-256 of their bytes.")
    var undo = false

    @Flag(help: "Forget all that --where means without asking.")
    var yes = false

    @Flag(help: "One JSON object instead of text.")
    var json = false

    @OptionGroup(title: "Log") var log: LogOptions

    func validate() throws {
        if !which.isAny { throw ValidationError("Name pictures, or say which by --where.") }
        if undo, which.pictures.isEmpty { throw ValidationError("Name the files that are to be taken in again.") }
    }

    func run() async throws {
        let session = try Session()
        if undo {
            let digests = try which.pictures.map(PictureOptions.digest)
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
