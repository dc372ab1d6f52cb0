internal import ArgumentParser
internal import Foundation
internal import Submit
internal import SubmitConfiguration
internal import SystemPackage

/// The words after `submit`, which may be no paths: a command, a destination, or a folder that isn't mounted.
///
/// Where one of them is wrong, nothing is sent: the others were hardly meant for the default folder.
struct TypedWords {
    let paths: [String]
    let target: TargetOptions

    /// Answers for people who know other programs.
    private static let otherCommands: [String: String] = {
        let removal =
            "`submit destinations remove NAME` removes a destination, and `submit cancel` cancels what isn't sent yet. submit "
            + "deletes nothing that was published: delete it there."
        let listing = "`submit status` shows the last batches, `submit list` each file."
        let sending = "`submit PATH…` sends."
        let help = "`submit --help` lists the commands, `submit help COMMAND` explains one."
        return [
            "init": "`submit setup` asks for your destinations.", "ls": listing, "log": listing, "undo": removal,
            "where": "`submit list` shows where each file is.", "find": "`submit query` finds what was sent.",
            "search": "`submit query` finds what was sent.", "man": help, "manual": help, "docs": help,
            "config": "`submit destinations` shows your destinations, `submit destinations edit NAME` changes one.",
            "delete": removal, "rm": removal, "remove": removal, "unpublish": removal, "upload": sending,
            "put": sending, "copy": sending, "cp": sending, "sync": sending, "push": sending, "publish": sending,
            "start": "`submit resume` sends what is waiting.", "stop": "`submit pause` pauses all destinations.",
            "verify": "`submit audit` checks whether the copies are there.",
            "nightly": "`submit service install --nightly 02:30` sends every night.",
        ]
    }()

    /// - Throws: usage, if the first word is a command, looks like one, or is one of another program.
    func refuseCommand() throws(SubmitFailure) {
        guard let word = paths.first, !word.contains("/"), word != "-", Self.isMissing(FilePath(word)) else { return }
        let commands = SubmitCommand.configuration.subcommands
        let verbs = commands.map { $0._commandName }
        if verbs.contains(word) {
            throw .usage("“\(word)” is a verb, and stands before its options: `submit \(word) …`.")
        }
        if let words = Self.otherCommands[word] { throw .usage("There is no command “\(word)”: \(words)") }
        let nested = commands.filter { command in
            command.configuration.subcommands.contains {
                $0._commandName == word || $0.configuration.aliases.contains(word)
            }
        }.map { "`submit \($0._commandName) \(word)`" }
        if !nested.isEmpty {
            throw .usage("There is no command “\(word)”. Did you mean \(nested.joined(separator: " or "))?")
        }
        let hint = NearestNames.hint(for: word, among: verbs)
        if !hint.isEmpty { throw .usage("There is no file and no verb “\(word)”\(hint).") }
        // A name that was not UTF-8 is not as it was typed.
        let isWord = !word.unicodeScalars.contains { ".\u{fffd}".unicodeScalars.contains($0) }
        if isWord, target.to.isEmpty {
            throw .usage(
                "There is no file and no command “\(word)”. Nothing was sent. `submit --help` lists the commands.")
        }
    }

    /// - Throws: usage, if a word is the name of a destination: `submit --to nas, cloud photo.jpg` would look for a photo of
    ///   that name, and `submit nas` may mean the destination or the folder.
    func refuseDestinations(_ habit: CopyHabit) throws(SubmitFailure) {
        let endsWithComma = target.to.last?.hasSuffix(",") ?? false
        for (index, word) in paths.enumerated() where habit.session.catalog.isConfigured(word) {
            if !Self.isMissing(FilePath(word)), !(endsWithComma && index == 0) {
                guard target.to.isEmpty, habit.isUndecided else { continue }
                let others = paths.filter { $0 != word }
                let rest = others.isEmpty ? "PATH…" : ShellText.list(others)
                throw .usage(
                    "“\(word)” is a destination and a folder, and no destination is named. Nothing was sent. To send to the "
                        + "destination: `submit --to \(word) \(rest)`. To send the folder: "
                        + "`submit --to file \(ShellText.list(others, with: "./\(word)"))`.")
            }
            let names = (target.names + [word]).joined(separator: ",")
            throw .usage("“\(word)” is a destination. Did you mean `--to \(names)`, without blanks?")
        }
    }

    /// - Parameter named: the paths in the same order, then those of lists.
    /// - Throws: usage, if nobody has decided where photos go and only some of the paths exist. The last one may be a folder
    ///   that is not mounted.
    func refuseMissing(_ named: [FilePath], _ habit: CopyHabit) throws(SubmitFailure) {
        guard target.to.isEmpty, habit.isUndecided, !paths.contains("-") else { return }
        let missing = zip(paths, named).filter { Self.isMissing($1) }.map(\.0)
        guard let first = missing.first, missing.count < named.count else { return }
        let others = paths.filter { !missing.contains($0) }
        let rest = ShellText.list(others)
        let what = missing.count == 1 ? "“\(first)” does not" : "“\(first)” and \(missing.count - 1) more do not"
        var sentence = "\(what) exist, and no destination is named. Nothing was sent."
        if missing == [paths.last] {
            let folder = ShellText.quoted(first.contains("/") ? first : "./\(first)")
            sentence += " If it is the destination, mount or create it first: `submit --to \(folder) \(rest)`."
        }
        throw .usage("\(sentence) To send the others: `submit --to file \(rest)`.")
    }

    /// Nothing has this path. What cannot be looked at may be there.
    static func isMissing(_ path: FilePath) -> Bool {
        var status = stat()
        guard path.withPlatformString({ lstat($0, &status) }) != 0 else { return false }
        return errno == ENOENT || errno == ENOTDIR
    }
}
